#include "app/desktop/main_window.h"
#include "app/desktop/worker_session.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QPixmap>
#include <QTimer>

#include <cstdio>
#include <utility>

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("kernelwright"));
    QApplication::setApplicationDisplayName(QStringLiteral("Kernelwright"));
    QApplication::setApplicationVersion(QStringLiteral(KW_VERSION));

    QCommandLineParser parser;
    parser.setApplicationDescription(QCoreApplication::translate("main", "A workbench for CUDA kernels."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("task"), QCoreApplication::translate("main", "Task folder to open."),
                                 QStringLiteral("[task]"));
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
        const auto parts = parser.value(size).split(QLatin1Char('x'));
        if (parts.size() == 2) window.resize(parts[0].toInt(), parts[1].toInt());
    }
    window.show();
    if (!parser.positionalArguments().isEmpty()) window.open_task(parser.positionalArguments().first().toStdString());

    int status = 0;
    if (parser.isSet(screenshot)) {
        const auto take = [&] {
            // One more turn of the event loop, so that what the last signal changed is laid out and painted.
            QTimer::singleShot(400, &window, [&] {
                if (!window.grab().save(parser.value(screenshot))) {
                    std::fprintf(stderr, "kernelwright: cannot write %s\n", qPrintable(parser.value(screenshot)));
                    status = 2;
                }
                QCoreApplication::exit(status);
            });
        };
        if (parser.isSet(run))
            QObject::connect(&window, &kw::desktop::MainWindow::run_finished, &window, take);
        else
            QTimer::singleShot(600, &window, take);
    }
    if (parser.isSet(run)) window.run();
    return QApplication::exec();
}
