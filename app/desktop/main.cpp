#include "app/desktop/appearance.h"
#include "app/desktop/main_window.h"
#include "app/desktop/settings.h"
#include "app/desktop/start_report.h"
#include "app/desktop/translations.h"
#include "app/desktop/worker_session.h"
#include "engine/base/version.h"
#include "engine/timeline/open.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QPixmap>
#include <QRegularExpression>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace {

/// Long enough for a check of the text to be answered too.
constexpr int kSettleMs = 600;

/// What the command line may say.
class Arguments {
public:
    Arguments() {
        parser.setApplicationDescription(QCoreApplication::translate("main", "A workbench for CUDA kernels."));
        parser.addHelpOption();
        parser.addVersionOption();
        parser.addPositionalArgument(QStringLiteral("path"),
                                     QCoreApplication::translate("main", "Task folder, session or trace file to open."),
                                     QStringLiteral("[task, session or trace]"));
        parser.addOptions({theme, layout, pane, run, profile, screenshot, report_start, size});
    }

    QCommandLineParser parser;
    const QCommandLineOption theme{QStringLiteral("theme"),
                                   QCoreApplication::translate("main", "dark, light or system (default: as set)."),
                                   QStringLiteral("name")};
    const QCommandLineOption layout{QStringLiteral("layout"),
                                    QCoreApplication::translate("main", "edit, profile or review."),
                                    QStringLiteral("name")};
    const QCommandLineOption run{QStringLiteral("run"),
                                 QCoreApplication::translate("main", "Run the task's candidate at once.")};
    const QCommandLineOption profile{QStringLiteral("profile"),
                                     QCoreApplication::translate("main", "As --run, and profile it.")};
    const QCommandLineOption pane{QStringLiteral("pane"),
                                  QCoreApplication::translate("main", "Bring a pane to the front, such as metrics."),
                                  QStringLiteral("name")};
    const QCommandLineOption screenshot{
        QStringLiteral("screenshot"),
        QCoreApplication::translate(
            "main",
            "Write a picture of the window to FILE once the run has ended (or at once without --run), and quit."),
        QStringLiteral("file")};
    const QCommandLineOption report_start{
        QStringLiteral("report-start"),
        QCoreApplication::translate("main", "Print what starting took, once the window can be used, and quit.")};
    const QCommandLineOption size{QStringLiteral("size"),
                                  QCoreApplication::translate("main", "Window size, as 1280x800."),
                                  QStringLiteral("WxH")};
};

void name_application() {
    QCoreApplication::setApplicationName(QStringLiteral("kernelwright"));
    QCoreApplication::setApplicationVersion(QString::fromStdString(std::string(kw::version())));
}

/// Whether it is only asked what there is to say: that takes no display.
bool asks_for_words(int argc, char** argv) {
    return std::any_of(argv + 1, argv + std::max(argc, 1), [](const char* word) {
        const std::string_view text{word};
        return text == "-h" || text == "--help" || text == "--help-all" || text == "-v" || text == "--version";
    });
}

} // namespace

int main(int argc, char** argv) {
    if (asks_for_words(argc, argv)) {
        QCoreApplication application(argc, argv);
        name_application();
        kw::desktop::Translations translations;
        Arguments arguments;
        arguments.parser.process(application);
    }
    QApplication application(argc, argv);
    name_application();
    QApplication::setApplicationDisplayName(QStringLiteral("Kernelwright"));
    kw::desktop::Translations translations;
    Arguments arguments;
    auto& parser = arguments.parser;
    parser.process(application);

    kw::desktop::Settings settings;
    const QString scheme = parser.isSet(arguments.theme) ? parser.value(arguments.theme) : settings.theme();
    if (!kw::desktop::Appearance::is_theme(scheme)) {
        std::fprintf(stderr, "kernelwright: unknown theme '%s'; there are dark, light and system\n",
                     qPrintable(scheme));
        return 2;
    }
    kw::desktop::Appearance appearance(application);
    appearance.apply(scheme, settings.text_scale());

    auto command = kw::rpc::worker_command(settings.worker().toStdString(), kw::desktop::toolkit_options(settings));
    kw::desktop::WorkerSession session(command ? std::move(*command) : kw::rpc::WorkerCommand{});
    // Nothing else is run in its place: the window says what is wrong, where another can be chosen.
    if (!command) session.refuse(command.error());
    kw::desktop::MainWindow window(session);
    QObject::connect(&window, &kw::desktop::MainWindow::look_changed, &appearance,
                     [&](const QString& wanted, double text_scale) { appearance.apply(wanted, text_scale); });
    if (parser.isSet(arguments.size)) {
        static const QRegularExpression form(QStringLiteral("^([1-9]\\d{2,4})x([1-9]\\d{2,4})$"));
        const auto match = form.match(parser.value(arguments.size));
        if (!match.hasMatch()) {
            std::fprintf(stderr, "kernelwright: '%s' is not a window size; write it as 1280x800\n",
                         qPrintable(parser.value(arguments.size)));
            return 2;
        }
        window.resize(match.captured(1).toInt(), match.captured(2).toInt());
    }
    if (parser.isSet(arguments.layout)) window.apply_layout(parser.value(arguments.layout));
    window.show();
    const bool opened =
        parser.positionalArguments().isEmpty() || window.open(parser.positionalArguments().first().toStdString());
    if (parser.isSet(arguments.pane) && !window.docks().reveal(parser.value(arguments.pane))) {
        QStringList names;
        for (const auto* pane : window.docks().panes()) names << pane->objectName();
        std::fprintf(stderr, "kernelwright: there is no pane '%s'; the panes are %s\n",
                     qPrintable(parser.value(arguments.pane)), qPrintable(names.join(QStringLiteral(", "))));
        return 2;
    }
    const bool trace = !parser.positionalArguments().isEmpty()
                       && kw::timeline::looks_like_trace(parser.positionalArguments().first().toStdString());
    const bool runs = (parser.isSet(arguments.run) || parser.isSet(arguments.profile)) && opened && !trace;
    // These are read in the background.
    const bool background = trace
                            || (!parser.positionalArguments().isEmpty()
                                && kw::desktop::is_session(parser.positionalArguments().first().toStdString()));

    // The window is there when it has been painted and nothing that was due at once is left to do.
    if (parser.isSet(arguments.report_start))
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
            if (ok && runs) parser.isSet(arguments.profile) ? window.profile() : window.run();
        });
    if (parser.isSet(arguments.screenshot)) {
        const auto take = [&] {
            // Layouts of what the last signal changed settle over several turns of the event loop.
            QTimer::singleShot(kSettleMs, &window, [&] {
                const bool written = window.grab().save(parser.value(arguments.screenshot));
                if (!written)
                    std::fprintf(stderr, "kernelwright: cannot write %s\n",
                                 qPrintable(parser.value(arguments.screenshot)));
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
    if (runs && !background) parser.isSet(arguments.profile) ? window.profile() : window.run();
    return QApplication::exec();
}
