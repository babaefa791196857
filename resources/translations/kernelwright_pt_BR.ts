<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="pt_BR">
<context>
    <name>kw::desktop::Actions</name>
    <message>
        <source>Open task folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open session or trace…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next problem</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous problem</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose device…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Best step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on from this step&apos;s text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark or light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset this layout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Kernelwright</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::desktop::CodePanes</name>
    <message>
        <source>PTX · SASS</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The source does not compile.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F8 goes to the first error.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::desktop::DeviceChooser</name>
    <message>
        <source>This machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where kernels run (Ctrl+Shift+E). Simulated GPUs estimate time from counted events.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>automatic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> · %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · no answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asking for devices…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ssh:HOST, srun:--gres=gpu:1 or command:PROGRAM</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kw-worker has to be installed there.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::desktop::Docks</name>
    <message>
        <source>Close %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Profile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Review</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::desktop::MainWindow</name>
    <message>
        <source>Kernelwright</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The trace is open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cannot open the session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Could not run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No list of devices: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compiled in %1 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Does not compile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cannot open %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cannot copy the task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connecting to %1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compiling…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is known of step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The task has no file %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The text is that of step %1; undo brings yours back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problems (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1:%2 is not among the task&apos;s files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1[*] – Kernelwright</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not saved: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Main</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is open; what was opened last</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layout: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Kernel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pane: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a task folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a session or a trace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions and traces (*.kwsession *.json *.json.gz *.sqlite);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Kernelwright</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kernelwright %1
A workbench for CUDA kernels.
GPL-3.0-or-later</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::desktop::ProfilePanes</name>
    <message>
        <source>Timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::desktop::SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CUDA Toolkit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>searched for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder or library of NVRTC on the machine that compiles. Empty: $CUDA_HOME, the loader&apos;s path, /usr/local/cuda and Python&apos;s folders are searched.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every run is kept in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::desktop::SourceTabs</name>
    <message>
        <source>Open files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open another file of the task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text from %1 was never saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring it back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kernel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>baseline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::desktop::StartPage</name>
    <message>
        <source>Kernelwright</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a CUDA kernel, see at once whether it is right, how fast it is, and why.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a task folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>or drop a task, a session or a trace here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · has unsaved text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (no longer there)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bundled tasks</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::editor::CallTip</name>
    <message>
        <source>Call tip</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::editor::ClangdClient</name>
    <message>
        <source>clangd does not answer, so completion goes on without it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cannot be started, so completion goes on without it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>clangd has ended unexpectedly, so completion goes on without it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>clangd&apos;s answers make no sense (%1), so completion goes on without it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::editor::CompletionPopup</name>
    <message>
        <source>Completions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Signature</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::editor::CudaEditor</name>
    <message>
        <source>Kernel source</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::editor::EditorPane</name>
    <message>
        <source>Editor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line to go to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find previous</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Toggle comment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move line up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move line down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select next occurrence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select all occurrences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add cursor above</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add cursor below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unfold all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Indent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unindent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Complete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 may not be written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit anyway</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is not UTF-8 (byte %2) and is shown as Latin-1, read-only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Convert to UTF-8</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was deleted; saving writes it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was changed by another program; its new text is shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was changed by another program.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line[:column], up to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A line is a number from 1, with a column as in 12:5.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::editor::FindBar</name>
    <message>
        <source>The pattern is not valid: %1 (character %2).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Match case</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whole words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous match (Shift+F3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next match (F3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replace this match and go to the next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replace all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replace every match</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find and replace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replace with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Matches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no match</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more than %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n match(es)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n replaced</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::editor::HeatChooser</name>
    <message>
        <source>Heat by line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the margin shows for each line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No profile yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No heat</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::editor::HeatMargin</name>
    <message>
        <source>Heat by line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 of all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (estimate)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (measured)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::editor::KernelStrip</name>
    <message>
        <source>blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>registers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shared memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resources of the kernels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the code of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Registers of a thread; a multiprocessor has 65 536 to share out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 + %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared memory of a block: static + dynamic, which the launch asks for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared memory of a block.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>spilled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Registers were too few, so values go to memory and back: bytes of such stores and loads.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>spills</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All values stay in registers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>local</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory of a thread for arrays with computed indices and for spilled values.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>occupancy, limited by %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A block needs more than a multiprocessor has, so this cannot be launched.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warps that fit on a multiprocessor, of the most it holds, in blocks of %1 threads. What allows how many blocks: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>occupancy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Known when the kernel is compiled for a GPU and launched.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::editor::ListingPane</name>
    <message>
        <source>disassembling…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PTX and SASS</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PTX</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SASS</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The compiler&apos;s intermediate code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The GPU&apos;s machine code; needs nvdisasm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No code yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the compiler makes of the source appears here when it compiles.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disassembling…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::editor::NoticeBar</name>
    <message>
        <source>Notice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::editor::ProblemList</name>
    <message>
        <source>Problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the compiler says of the source appears here as you type.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views</name>
    <message>
        <source>Before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Now divided by before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Section</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Metric</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counter or formula</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Id</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of its peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Level</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warp instructions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sectors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pieces of 32 bytes; of shared memory wavefronts, the turns that it takes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sectors or wavefronts per request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Global loads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Global stores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Global atomics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Local</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared loads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared stores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>L1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>L2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRAM reads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRAM writes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What warps wait for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of their time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 for each instruction that is issued</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Grid</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks of the launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threads of a block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks of a cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Registers per thread</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Registers that the compiler gave to a thread</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Static shared memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared memory of a block that the source declares with its size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dynamic shared memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared memory of a block that the launch asks for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Local memory per thread</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stack and spilled registers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no line known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of the kernel&apos;s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed of light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stalls</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Simulator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CUPTI counters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computed from counters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CUPTI activity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PC sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Activity trace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PM sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was not asked for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was skipped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Registers and shared memory each let %1 blocks on an SM: more need less of both.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An SM holds no more than %1 blocks: larger blocks would bring more warps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A block may have no more than %1 threads.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All %1 warps that an SM holds are there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 blocks of this size leave warps over that are too few for another block: a block size that divides %2 threads would fill the SM.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A thread may have no more than %1 registers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Registers let %1 blocks on an SM; with %2 instead of %3 per thread there would be more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Registers let %1 blocks on an SM.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A block may have no more than %1 of shared memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared memory lets %1 blocks on an SM; with %2 bytes per block instead of %3 there would be more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared memory lets %1 blocks on an SM.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 at %3 of %4 traffic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 of what the roof allows there, which %2 sets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Operations per byte</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no sizes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Does not compile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wrong after timing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Faults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wrong result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>
block (%1, %2, %3), thread (%4, %5, %6)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 – %2, %3 samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bound by %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from a sample of the blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (%1 – %2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 the speed of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>max error %1, %2 ULP</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Correct</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compiles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 registers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 shared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 spilled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compiled in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not compile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>faulted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1/%2 checks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reward %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::CellTable</name>
    <message>
        <source>Copy as table</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::CheckModel</name>
    <message>
        <source>right</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>wrong</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 elements of %3 are wrong</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sizes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>largest |error|</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>max ULP</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::DetailsModel</name>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Category</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an instant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Property</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::ElementPanel</name>
    <message>
        <source>the warp of thread %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>thread %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed by %1, block %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>written by %1, block %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Element</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click an element, or press N for the next one that fails.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who wrote it?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs the check once more on the simulator and looks who writes this element (W)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>actual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>|error|</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>relative</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ULP</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>÷ tolerance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to %1:%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking who writes it …</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>and by %n more thread(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::ErrorBars</name>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::MapCanvas</name>
    <message>
        <source>Error map</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arrows move the selected element, plus and minus zoom, F shows everything, N goes to the next element that fails</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rows from %1, columns from %2: %3 wrong, worst %4 × tolerance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: expected %2, got %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 × tolerance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 and %2 × %3 around: %4 wrong, worst %5 × tolerance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 NaN</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 infinite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>element	expected	actual	absolute	relative	ULP</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::MetricPanel</name>
    <message>
        <source>About the selected metric</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counter or formula</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a metric</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it means and where it was measured stands here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before: %1, now %2 of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::MetricsView</name>
    <message>
        <source>Bound</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Latency</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stalls</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Grid</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Divergence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The launch whose metrics are shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What limits the launch, section by section</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All metrics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every metric with where it comes from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Metrics of source lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter metrics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the table, to paste it into a spreadsheet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What limits this launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What could not be profiled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed of light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No profile yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Profile the kernel to see what limits it: how near each unit is to its peak, what warps wait for, and which lines take the time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This profile does not have it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The simulator does not model it; profile on a GPU to see it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The set of metrics that was asked for leaves it out; profile with the set “full”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The metrics at hand do not say.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The kernel faulted while it was profiled: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The simulator executed some of the blocks and scaled what it counted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By the simulator&apos;s model of the GPU, not by a GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By the hardware counters of the GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compared with %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no such launch before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The profile has no launch.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed of light: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stalls: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is known per source line. %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::OccupancyView</name>
    <message>
        <source>1 block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Occupancy by threads per block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Occupancy by registers per thread</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Occupancy by shared memory per block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No launch yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run or profile the kernel to see how many of its warps an SM holds, and what limits them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theoretical occupancy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What limits it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Block limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Registers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks that it allows: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threads per block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Registers per thread</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Static shared, bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dynamic shared, bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As launched</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the numbers of the launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 warps; %3 per SM</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Achieved when it was measured: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::RooflineView</name>
    <message>
        <source>Roofline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRAM</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Operations per byte of DRAM traffic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>L2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Operations per byte of L2 traffic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How much of the roof is reached</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No roofline yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Profile the kernel to see how near it is to what the GPU&apos;s memory and arithmetic allow.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None of the steps was profiled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It needs counters, which this profile does not have.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The kernel does no floating-point arithmetic, or the profile did not count it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The profile did not count the bytes that move through %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No point on the roofline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no data sheet of the %1, so its ceilings are not drawn.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::StatisticsModel</name>
    <message>
        <source>(no name)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Count</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Total</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mean</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name	Count	Total ns	Mean ns	Least ns	Most ns
</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::TimelineCanvas</name>
    <message>
        <source>Timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 events on %2 lanes over %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Selected: %1, %2, on %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(no name)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an instant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::TimelineOverview</name>
    <message>
        <source>Overview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The whole trace; drag to move the part that is shown</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::TimelineView</name>
    <message>
        <source>The trace cannot be opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening was stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find events by name  ( / )</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find events by name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous match (Shift+N)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next match (N)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Matches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all, or what is selected (F)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a picture of what is shown, PNG or SVG</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening the trace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details of the selected event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Statistics by name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No timeline yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Profile a kernel, or drop a trace here: Chrome or Kineto JSON (also .gz), or an Nsight Systems SQLite export.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>
… and %1 more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not a regular expression: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no match</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 match</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 matches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details: select an event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Selection of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: no events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 events; busiest: %3, %4 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::TolerancePanel</name>
    <message>
        <source>Absolute tolerance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relative tolerance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Task&apos;s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the tolerance of the task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would pass</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Integers must be equal; no tolerance applies.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::VerdictView</name>
    <message>
        <source>Verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not run yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+R compiles, checks and times this kernel.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before your edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to %1:%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Against the baselines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reward %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::review::StepsModel</name>
    <message>
        <source>best</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not evaluated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>correct</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>wrong</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · +%2 −%3 lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>#</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::review::StepsView</name>
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No steps yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each run becomes a step: the text it was made with and everything found out about it. Ctrl+R makes the first.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::widgets::CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type what you want to do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commands</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>kw::widgets::Plot</name>
    <message>
        <source> (%1 to %2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 points</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export picture…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the plot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png *.pdf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cannot write %1: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder %1 does not exist</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pictures are .png, .svg or .pdf</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file cannot be written</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>A workbench for CUDA kernels.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Task folder or trace file to open.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dark, light or system (default: as set).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>edit, profile or review.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the task&apos;s candidate at once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As --run, and profile it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring a pane to the front, such as metrics.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a picture of the window to FILE once the run has ended (or at once without --run), and quit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Print what starting took, once the window can be used, and quit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Window size, as 1280x800.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>widgets</name>
    <message>
        <source>Occupancy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 at %2: occupancy %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threads per block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Registers per thread</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shared memory per block</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
