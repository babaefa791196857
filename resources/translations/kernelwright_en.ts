<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US">
<context>
    <name>kw::desktop::AgentPane</name>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::desktop::ComparePane</name>
    <message numerus="yes">
        <source>My text has moved on: %n change(s) no longer fit.</source>
        <translation>
            <numerusform>My text has moved on: %n change no longer fits.</numerusform>
            <numerusform>My text has moved on: %n changes no longer fit.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n line(s): </source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::desktop::DeviceChooser</name>
    <message numerus="yes">
        <source>Asking for devices… (%n s)</source>
        <translation>
            <numerusform>Asking for devices… (%n s)</numerusform>
            <numerusform>Asking for devices… (%n s)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::desktop::MainWindow</name>
    <message numerus="yes">
        <source>Still waiting for %1 (%n s); the device chooser can cancel that</source>
        <translation>
            <numerusform>Still waiting for %1 (%n s); the device chooser can cancel that</numerusform>
            <numerusform>Still waiting for %1 (%n s); the device chooser can cancel that</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n steps</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::editor::CallTip</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::editor::CompareCard</name>
    <message numerus="yes">
        <source>Accept %n line(s)</source>
        <translation>
            <numerusform>Accept %n line</numerusform>
            <numerusform>Accept %n lines</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::editor::CompareView</name>
    <message numerus="yes">
        <source>%n change(s)</source>
        <translation>
            <numerusform>%n change</numerusform>
            <numerusform>%n changes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::editor::FindBar</name>
    <message numerus="yes">
        <source>%n match(es)</source>
        <translation>
            <numerusform>%n match</numerusform>
            <numerusform>%n matches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n replaced</source>
        <translation>
            <numerusform>%n replaced</numerusform>
            <numerusform>%n replaced</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::ElementPanel</name>
    <message numerus="yes">
        <source>and by %n more thread(s)</source>
        <translation>
            <numerusform>and by %n more thread</numerusform>
            <numerusform>and by %n more threads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::review::AgentView</name>
    <message numerus="yes">
        <source>&lt;div&gt;and %n more&lt;/div&gt;</source>
        <translation>
            <numerusform>&lt;div&gt;and %n more&lt;/div&gt;</numerusform>
            <numerusform>&lt;div&gt;and %n more&lt;/div&gt;</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::review::StepsModel</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::review::TrajectoryView</name>
    <message numerus="yes">
        <source>%n reward(s) change.</source>
        <translation>
            <numerusform>%n reward changes.</numerusform>
            <numerusform>%n rewards change.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n step(s) cannot be told of: the session keeps only their largest errors.</source>
        <translation>
            <numerusform>%n step cannot be told of: the session keeps only its largest errors.</numerusform>
            <numerusform>%n steps cannot be told of: the session keeps only their largest errors.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of them wrong</source>
        <translation>
            <numerusform>%n of them wrong</numerusform>
            <numerusform>%n of them wrong</numerusform>
        </translation>
    </message>
</context>
</TS>
