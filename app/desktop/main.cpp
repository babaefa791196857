#include "app/desktop/main_window.h"
#include "app/desktop/worker_session.h"
#include "engine/base/version.h"
#include "engine/timeline/open.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QPixmap>
#include <QRegularExpression>
#include <QTimer>

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

    QCommandLineParser parser;
    parser.setApplicationDescription(QCoreApplication::translate("main", "A workbench for CUDA kernels."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("path"),
                                 QCoreApplication::translate("main", "Task folder or trace file to open."),
                                 QStringLiteral("[task or trace]"));
    const QCommandLineOption theme(QStringLiteral("theme"), QCoreApplication::translate("main", "dark or light."),
                                   QStringLiteral("name"), QStringLiteral("dark"));
    const QCommandLineOption run(QStringLiteral("run"),
                                 QCoreApplication::translate("main", "Run the task's candidate at once."));
    const QCommandLineOption screenshot(
        QStringLiteral("screenshot"),
        QCoreApplication::translate(
            "main",
            "Write a picture of the window to FILE once the run has ended (or at once without --run), and quit."),
        QStringLiteral("file"));
    const QCommandLineOption size(QStringLiteral("size"),
                                  QCoreApplication::translate("main", "Window size, as 1280x800."),
                                  QStringLiteral("WxH"));
    parser.addOptions({theme, run, screenshot, size});
    parser.process(application);

    const QString scheme = parser.value(theme);
    if (scheme != QStringLiteral("dark") && scheme != QStringLiteral("light")) {
        std::fprintf(stderr, "kernelwright: unknown theme '%s'; there are dark and light\n", qPrintable(scheme));
        return 2;
    }
    kw::widgets::Theme::instance().apply(application, scheme == QStringLiteral("light") ? kw::widgets::Scheme::light
                                                                                        : kw::widgets::Scheme::dark);

    auto command = kw::rpc::local_worker();
    if (!command) {
        std::fprintf(stderr, "kernelwright: %s\n", command.error().message.c_str());
        return 3;
    }
    kw::desktop::WorkerSession session(std::move(*command));
    kw::desktop::MainWindow window(session);
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
    window.show();
    const bool opened =
        parser.positionalArguments().isEmpty() || window.open(parser.positionalArguments().first().toStdString());
    const bool trace = !parser.positionalArguments().isEmpty()
                       && kw::timeline::looks_like_trace(parser.positionalArguments().first().toStdString());
    const bool runs = parser.isSet(run) && opened && !trace;

    if (parser.isSet(screenshot)) {
        const auto take = [&] {
            // Layouts of what the last signal changed settle over several turns of the event loop.
            QTimer::singleShot(kSettleMs, &window, [&] {
                const bool written = window.grab().save(parser.value(screenshot));
                if (!written)
                    std::fprintf(stderr, "kernelwright: cannot write %s\n", qPrintable(parser.value(screenshot)));
                QCoreApplication::exit(written && opened ? 0 : 2);
            });
        };
        if (runs)
            QObject::connect(&window, &kw::desktop::MainWindow::run_finished, &window, take);
        else if (trace)
            QObject::connect(&window, &kw::desktop::MainWindow::trace_opened, &window, take);
        else
            take();
    }
    if (runs) window.run();
    return QApplication::exec();
}
