#include "app/desktop/told.h"

#include <QCoreApplication>

namespace kw::desktop {
namespace {

const char* name_of(Stage stage) {
    switch (stage) {
    case Stage::usage: return QT_TRANSLATE_NOOP("stages", "Input");
    case Stage::task: return QT_TRANSLATE_NOOP("stages", "Task");
    case Stage::compile: return QT_TRANSLATE_NOOP("stages", "Compilation");
    case Stage::audit: return QT_TRANSLATE_NOOP("stages", "Audit");
    case Stage::verify: return QT_TRANSLATE_NOOP("stages", "Verification");
    case Stage::bench: return QT_TRANSLATE_NOOP("stages", "Timing");
    case Stage::profile: return QT_TRANSLATE_NOOP("stages", "Profiling");
    case Stage::reward: return QT_TRANSLATE_NOOP("stages", "Reward");
    case Stage::device: return QT_TRANSLATE_NOOP("stages", "Device");
    case Stage::rpc: return QT_TRANSLATE_NOOP("stages", "Worker");
    case Stage::environment: break;
    }
    return QT_TRANSLATE_NOOP("stages", "This computer");
}

} // namespace

QString told(const Error& error) {
    return QCoreApplication::translate("stages", "%1: %2")
        .arg(QCoreApplication::translate("stages", name_of(error.stage)), QString::fromStdString(error.message));
}

} // namespace kw::desktop
