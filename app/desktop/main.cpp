#include "app/desktop/appearance.h"
#include "app/desktop/main_window.h"
#include "app/desktop/settings.h"
#include "app/desktop/start_report.h"
#include "app/desktop/worker_session.h"
#include "engine/base/version.h"
#include "engine/timeline/open.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QLocale>
#include <QPixmap>
#include <QRegularExpression>
#include <QTimer>
#include <QTranslator>

#include <cstdio>
#include <string>
#include <utility>

namespace {

/// Long enough for a check of the text to be answered too.
constexpr int kSettleMs = 600;

} // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("kernelwright"));
    QApplication::setApplicationDisplayName(QStringLiteral("Kernelwright"));
    QApplication::setApplicationVersion(QString::fromStdString(std::string(kw::version())));

    // In the desktop's language where there is a translation.
    QTranslator translator;
    if (translator.load(QLocale(), QStringLiteral("kernelwright"), QStringLiteral("_"),
                        QStringLiteral(":/kw/translations")))
        QCoreApplication::installTranslator(&translator);

    QCommandLineParser parser;
    parser.setApplicationDescription(QCoreApplication::translate("main", "A workbench for CUDA kernels."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("path"),
                                 QCoreApplication::translate("main", "Task folder or trace file to open."),
                                 QStringLiteral("[task or trace]"));
    const QCommandLineOption theme(QStringLiteral("theme"),
                                   QCoreApplication::translate("main", "dark, light or system (default: as set)."),
                                   QStringLiteral("name"));
    const QCommandLineOption layout(QStringLiteral("layout"),
                                    QCoreApplication::translate("main", "edit, profile or review."),
                                    QStringLiteral("name"));
    const QCommandLineOption run(QStringLiteral("run"),
                                 QCoreApplication::translate("main", "Run the task's candidate at once."));
    const QCommandLineOption profile(QStringLiteral("profile"),
                                     QCoreApplication::translate("main", "As --run, and profile it."));
    const QCommandLineOption pane(QStringLiteral("pane"),
                                  QCoreApplication::translate("main", "Bring a pane to the front, such as metrics."),
                                  QStringLiteral("name"));
    const QCommandLineOption screenshot(
        QStringLiteral("screenshot"),
        QCoreApplication::translate(
            "main",
            "Write a picture of the window to FILE once the run has ended (or at once without --run), and quit."),
        QStringLiteral("file"));
    const QCommandLineOption report_start(
        QStringLiteral("report-start"),
        QCoreApplication::translate("main", "Print what starting took, once the window can be used, and quit."));
    const QCommandLineOption size(QStringLiteral("size"),
                                  QCoreApplication::translate("main", "Window size, as 1280x800."),
                                  QStringLiteral("WxH"));
    parser.addOptions({theme, layout, pane, run, profile, screenshot, report_start, size});
    parser.process(application);

    kw::desktop::Settings settings;
    const QString scheme = parser.isSet(theme) ? parser.value(theme) : settings.theme();
    if (!kw::desktop::Appearance::is_theme(scheme)) {
        std::fprintf(stderr, "kernelwright: unknown theme '%s'; there are dark, light and system\n",
                     qPrintable(scheme));
        return 2;
    }
    kw::desktop::Appearance appearance(application);
    appearance.apply(scheme, settings.text_scale());

    auto command = kw::rpc::worker_command(settings.worker().toStdString(), kw::desktop::toolkit_options(settings));
    if (!command) command = kw::rpc::local_worker();
    if (!command) {
        std::fprintf(stderr, "kernelwright: %s\n", command.error().message.c_str());
        return 3;
    }
    kw::desktop::WorkerSession session(std::move(*command));
    kw::desktop::MainWindow window(session);
    QObject::connect(&window, &kw::desktop::MainWindow::look_changed, &appearance,
                     [&](const QString& wanted, double text_scale) { appearance.apply(wanted, text_scale); });
    if (parser.isSet(size)) {
        static const QRegularExpression form(QStringLiteral("^([1-9]\\d{2,4})x([1-9]\\d{2,4})$"));
        const auto match = form.match(parser.value(size));
        if (!match.hasMatch()) {
            std::fprintf(stderr, "kernelwright: '%s' is not a window size; write it as 1280x800\n",
                         qPrintable(parser.value(size)));
            return 2;
        }
        window.resize(match.captured(1).toInt(), match.captured(2).toInt());
    }
    if (parser.isSet(layout)) window.apply_layout(parser.value(layout));
    window.show();
    const bool opened =
        parser.positionalArguments().isEmpty() || window.open(parser.positionalArguments().first().toStdString());
    if (parser.isSet(pane) && !window.docks().reveal(parser.value(pane))) {
        std::fprintf(stderr, "kernelwright: there is no pane '%s'\n", qPrintable(parser.value(pane)));
        return 2;
    }
    const bool trace = !parser.positionalArguments().isEmpty()
                       && kw::timeline::looks_like_trace(parser.positionalArguments().first().toStdString());
    const bool runs = (parser.isSet(run) || parser.isSet(profile)) && opened && !trace;
    // These are read in the background.
    const bool background = trace
                            || (!parser.positionalArguments().isEmpty()
                                && kw::desktop::is_session(parser.positionalArguments().first().toStdString()));

    // The window is there when it has been painted and nothing that was due at once is left to do.
    if (parser.isSet(report_start))
        QTimer::singleShot(0, &window, [&window] {
            window.repaint();
            QTimer::singleShot(0, &window, [] {
                std::printf("%s\n", kw::desktop::start_report().c_str());
                QCoreApplication::quit();
            });
        });
    bool readable = opened;
    if (background)
        QObject::connect(&window, &kw::desktop::MainWindow::opened, &window, [&](bool ok) {
            readable = ok;
            if (ok && runs) parser.isSet(profile) ? window.profile() : window.run();
        });
    if (parser.isSet(screenshot)) {
        const auto take = [&] {
            // Layouts of what the last signal changed settle over several turns of the event loop.
            QTimer::singleShot(kSettleMs, &window, [&] {
                const bool written = window.grab().save(parser.value(screenshot));
                if (!written)
                    std::fprintf(stderr, "kernelwright: cannot write %s\n", qPrintable(parser.value(screenshot)));
                QCoreApplication::exit(written && readable ? 0 : 2);
            });
        };
        if (runs) QObject::connect(&window, &kw::desktop::MainWindow::run_finished, &window, take);
        if (background)
            QObject::connect(&window, &kw::desktop::MainWindow::opened, &window, [take, runs](bool ok) {
                if (!ok || !runs) take();
            });
        else if (!runs)
            take();
    }
    if (runs && !background) parser.isSet(profile) ? window.profile() : window.run();
    return QApplication::exec();
}
