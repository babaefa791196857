<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="pt_BR">
<context>
    <name>AgentView</name>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 tokens read (%2 cached)</source>
        <translation>%1 tokens lidos (%2 do cache)</translation>
    </message>
    <message>
        <source>%1 tokens read</source>
        <translation>%1 tokens lidos</translation>
    </message>
    <message>
        <source>, %1 written</source>
        <translation>, %1 escritos</translation>
    </message>
    <message>
        <source> (%1 thought)</source>
        <translation> (%1 de raciocínio)</translation>
    </message>
    <message>
        <source> · $%1</source>
        <translation> · US$ %1</translation>
    </message>
    <message>
        <source> · at a price that is not known</source>
        <translation> · a um preço desconhecido</translation>
    </message>
    <message>
        <source>Thought</source>
        <translation>Raciocínio</translation>
    </message>
    <message>
        <source>Said</source>
        <translation>Disse</translation>
    </message>
    <message>
        <source>System text</source>
        <translation>Texto de sistema</translation>
    </message>
    <message>
        <source>Told</source>
        <translation>Recebeu</translation>
    </message>
</context>
<context>
    <name>TrajectoryView</name>
    <message>
        <source>Speed-up</source>
        <translation>Aceleração</translation>
    </message>
    <message>
        <source>Reward</source>
        <translation>Recompensa</translation>
    </message>
    <message>
        <source>Median time</source>
        <translation>Tempo mediano</translation>
    </message>
    <message>
        <source>Tokens of all steps so far</source>
        <translation>Tokens de todos os passos até aqui</translation>
    </message>
    <message>
        <source>Cost of all steps so far</source>
        <translation>Custo de todos os passos até aqui</translation>
    </message>
</context>
<context>
    <name>kw::desktop</name>
    <message>
        <source>In my text already.</source>
        <translation>Já está no meu texto.</translation>
    </message>
    <message>
        <source>No longer fits: line %1 of my text was edited since. Compare with my text to take it anyway.</source>
        <translation>Não encaixa mais: a linha %1 do meu texto foi editada depois. Compare com o meu texto para aceitar assim mesmo.</translation>
    </message>
    <message>
        <source>Rejected %1.</source>
        <translation>Rejeitada em %1.</translation>
    </message>
    <message>
        <source>Rejected %1: %2</source>
        <translation>Rejeitada em %1: %2</translation>
    </message>
    <message>
        <source>Accepted %1.</source>
        <translation>Aceita em %1.</translation>
    </message>
    <message>
        <source>The suggestion is binary, so it is not shown as text.</source>
        <translation>A sugestão é binária, portanto não é mostrada como texto.</translation>
    </message>
    <message>
        <source>The suggestion has %1, too much to be compared line by line (up to %2).</source>
        <translation>A sugestão tem %1, demais para comparar linha por linha (até %2).</translation>
    </message>
    <message>
        <source>The suggestion is not UTF-8, so it is not shown as text.</source>
        <translation>A sugestão não é UTF-8, portanto não é mostrada como texto.</translation>
    </message>
    <message>
        <source>Accepted %1 in another text than this.</source>
        <translation>Aceita %1 em outro texto que não este.</translation>
    </message>
    <message>
        <source>By %1.</source>
        <translation>Por %1.</translation>
    </message>
    <message>
        <source>The suggestion has %1 lines, too many to be compared one by one (up to %2).</source>
        <translation>A sugestão tem %1 linhas, demais para serem comparadas uma a uma (até %2).</translation>
    </message>
</context>
<context>
    <name>kw::desktop::Actions</name>
    <message>
        <source>Open task folder…</source>
        <translation>Abrir pasta de tarefa…</translation>
    </message>
    <message>
        <source>Open session or trace…</source>
        <translation>Abrir sessão ou trace…</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Salvar</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>Página inicial</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>Configurações…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Sair</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Desfazer</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Refazer</translation>
    </message>
    <message>
        <source>Next problem</source>
        <translation>Próximo problema</translation>
    </message>
    <message>
        <source>Previous problem</source>
        <translation>Problema anterior</translation>
    </message>
    <message>
        <source>Compile</source>
        <translation>Compilar</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Executar</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Perfilar</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Parar</translation>
    </message>
    <message>
        <source>Choose device…</source>
        <translation>Escolher dispositivo…</translation>
    </message>
    <message>
        <source>Previous step</source>
        <translation>Passo anterior</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>Próximo passo</translation>
    </message>
    <message>
        <source>Best step</source>
        <translation>Melhor passo</translation>
    </message>
    <message>
        <source>Go on from this step&apos;s text</source>
        <translation>Continuar a partir do texto deste passo</translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation>Paleta de comandos…</translation>
    </message>
    <message>
        <source>Dark or light</source>
        <translation>Escuro ou claro</translation>
    </message>
    <message>
        <source>Reset this layout</source>
        <translation>Restaurar este layout</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>Tela cheia</translation>
    </message>
    <message>
        <source>About Kernelwright</source>
        <translation>Sobre o Kernelwright</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>To the source</source>
        <translation>Ir para o código-fonte</translation>
    </message>
    <message>
        <source>What is this?</source>
        <translation>O que é isto?</translation>
    </message>
    <message>
        <source>Export the session…</source>
        <translation>Exportar a sessão…</translation>
    </message>
    <message>
        <source>First wrong step</source>
        <translation>Primeira etapa errada</translation>
    </message>
    <message>
        <source>Go through the steps as a lesson</source>
        <translation>Percorrer os passos como lição</translation>
    </message>
    <message>
        <source>Make a task of this step</source>
        <translation>Criar uma tarefa deste passo</translation>
    </message>
    <message>
        <source>Presentation</source>
        <translation>Apresentação</translation>
    </message>
</context>
<context>
    <name>kw::desktop::AgentForm</name>
    <message>
        <source>no limit</source>
        <translation>sem limite</translation>
    </message>
    <message>
        <source>Advisor: edits that a profile suggests</source>
        <translation>Conselheiro: edições que um perfil sugere</translation>
    </message>
    <message>
        <source>Tuner: values of //@ tune</source>
        <translation>Ajustador: valores de //@ tune</translation>
    </message>
    <message>
        <source>Lesson of the task</source>
        <translation>Lição da tarefa</translation>
    </message>
    <message>
        <source>Replay of a session</source>
        <translation>Repetição de uma sessão</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>Modelo de linguagem</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>Condutor</translation>
    </message>
    <message>
        <source>guided by times so far</source>
        <translation>guiada pelos tempos até agora</translation>
    </message>
    <message>
        <source>at random</source>
        <translation>ao acaso</translation>
    </message>
    <message>
        <source>all, in order</source>
        <translation>todas, em ordem</translation>
    </message>
    <message>
        <source>How the tuner chooses</source>
        <translation>Como o ajustador escolhe</translation>
    </message>
    <message>
        <source>Session to replay</source>
        <translation>Sessão a repetir</translation>
    </message>
    <message>
        <source>Chat Completions</source>
        <translation>Chat Completions</translation>
    </message>
    <message>
        <source>Responses</source>
        <translation>Responses</translation>
    </message>
    <message>
        <source>Anthropic Messages</source>
        <translation>Anthropic Messages</translation>
    </message>
    <message>
        <source>Protocol of the server</source>
        <translation>Protocolo do servidor</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>Servidor</translation>
    </message>
    <message>
        <source>Environment variable with the key</source>
        <translation>Variável de ambiente com a chave</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modelo</translation>
    </message>
    <message>
        <source>as the server has it</source>
        <translation>como o servidor define</translation>
    </message>
    <message>
        <source>low</source>
        <translation>pouco</translation>
    </message>
    <message>
        <source>medium</source>
        <translation>médio</translation>
    </message>
    <message>
        <source>high</source>
        <translation>muito</translation>
    </message>
    <message>
        <source>How much it thinks</source>
        <translation>Quanto ele raciocina</translation>
    </message>
    <message>
        <source>Where it begins</source>
        <translation>De onde ele parte</translation>
    </message>
    <message>
        <source>Message to the model</source>
        <translation>Mensagem ao modelo</translation>
    </message>
    <message>
        <source>Steps at most</source>
        <translation>Máximo de passos</translation>
    </message>
    <message>
        <source>Minutes at most</source>
        <translation>Máximo de minutos</translation>
    </message>
    <message>
        <source>Tokens at most</source>
        <translation>Máximo de tokens</translation>
    </message>
    <message>
        <source>US dollars at most</source>
        <translation>Máximo de dólares</translation>
    </message>
    <message>
        <source>Wait for approval after each step</source>
        <translation>Esperar aprovação depois de cada passo</translation>
    </message>
    <message>
        <source>session file</source>
        <translation>arquivo de sessão</translation>
    </message>
    <message>
        <source>the protocol&apos;s vendor; local: http://localhost:8000/v1</source>
        <translation>o fornecedor do protocolo; local: http://localhost:8000/v1</translation>
    </message>
    <message>
        <source>as the server calls it</source>
        <translation>como o servidor o chama</translation>
    </message>
    <message>
        <source>What the model is to know beside the task</source>
        <translation>O que o modelo deve saber além da tarefa</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Procurar…</translation>
    </message>
    <message>
        <source>Sessions (*.kwsession)</source>
        <translation>Sessões (*.kwsession)</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Busca</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>Lição</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>Sessão</translation>
    </message>
    <message>
        <source>Protocol</source>
        <translation>Protocolo</translation>
    </message>
    <message>
        <source>Key variable</source>
        <translation>Variável da chave</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Chave</translation>
    </message>
    <message>
        <source>Thinks</source>
        <translation>Raciocínio</translation>
    </message>
    <message>
        <source>Begins from</source>
        <translation>Parte de</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Mensagem</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Passos</translation>
    </message>
    <message>
        <source>Minutes</source>
        <translation>Minutos</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Custo</translation>
    </message>
    <message>
        <source>There is no lesson of the task %1.</source>
        <translation>Não há lição da tarefa %1.</translation>
    </message>
    <message>
        <source>A written course of candidates for %1, from naive to best.</source>
        <translation>Um percurso escrito de candidatos para %1, do ingênuo ao melhor.</translation>
    </message>
    <message>
        <source>the text in the editor</source>
        <translation>o texto no editor</translation>
    </message>
    <message>
        <source>step %1, which is selected</source>
        <translation>o passo %1, que está selecionado</translation>
    </message>
    <message>
        <source>the best step</source>
        <translation>o melhor passo</translation>
    </message>
    <message>
        <source>Looking for a key…</source>
        <translation>Procurando uma chave…</translation>
    </message>
    <message>
        <source>%1: found in %2</source>
        <translation>%1: encontrada em %2</translation>
    </message>
    <message>
        <source>Choose the session whose steps are to be tried again.</source>
        <translation>Escolha a sessão cujos passos serão tentados de novo.</translation>
    </message>
    <message>
        <source>Name the model, as its server calls it.</source>
        <translation>Diga o modelo, como o servidor o chama.</translation>
    </message>
    <message>
        <source>%1: none, and most local servers need none</source>
        <translation>%1: nenhuma, e a maioria dos servidores locais não precisa</translation>
    </message>
    <message>
        <source>%1: none found; set KW_API_KEY and start again</source>
        <translation>%1: nenhuma encontrada; defina KW_API_KEY e inicie de novo</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatura</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>Certificates of authorities, a file</source>
        <translation>Certificados de autoridades, um arquivo</translation>
    </message>
    <message>
        <source>Further headers, one a line</source>
        <translation>Outros cabeçalhos, um por linha</translation>
    </message>
    <message>
        <source>as the environment says</source>
        <translation>como diz o ambiente</translation>
    </message>
    <message>
        <source>those of the system</source>
        <translation>os do sistema</translation>
    </message>
    <message>
        <source>Name: value</source>
        <translation>Nome: valor</translation>
    </message>
    <message>
        <source>CA file</source>
        <translation>Arquivo de CA</translation>
    </message>
    <message>
        <source>Headers</source>
        <translation>Cabeçalhos</translation>
    </message>
</context>
<context>
    <name>kw::desktop::AgentPane</name>
    <message>
        <source>Start agent</source>
        <translation>Iniciar agente</translation>
    </message>
    <message>
        <source>Pause agent</source>
        <translation>Pausar agente</translation>
    </message>
    <message>
        <source>Stop agent</source>
        <translation>Parar agente</translation>
    </message>
    <message>
        <source>Approve step, go on</source>
        <translation>Aprovar passo e continuar</translation>
    </message>
    <message>
        <source>Agent: branch from this step…</source>
        <translation>Agente: ramificar deste passo…</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>Agente</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>What is chosen of the driver: which one, its budget, where it begins</source>
        <translation>O que se escolhe do condutor: qual, seu orçamento, de onde parte</translation>
    </message>
    <message>
        <source>Compare with step</source>
        <translation>Comparar com o passo</translation>
    </message>
    <message>
        <source>Shows the selected step and another one beside each other</source>
        <translation>Mostra o passo selecionado e outro lado a lado</translation>
    </message>
    <message>
        <source>Step to compare with</source>
        <translation>Passo de comparação</translation>
    </message>
    <message>
        <source>%1, %2 %</source>
        <translation>%1, %2 %</translation>
    </message>
    <message>
        <source>it was stopped</source>
        <translation>foi parado</translation>
    </message>
    <message>
        <source>it broke off</source>
        <translation>foi interrompido</translation>
    </message>
    <message>
        <source>Agent: %1</source>
        <translation>Agente: %1</translation>
    </message>
    <message>
        <source>Open a task first: an agent writes its steps into the task&apos;s session.</source>
        <translation>Abra antes uma tarefa: um agente escreve seus passos na sessão da tarefa.</translation>
    </message>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n passo</numerusform>
            <numerusform>%n passos</numerusform>
        </translation>
    </message>
    <message>
        <source>Let agent go on</source>
        <translation>Deixar o agente continuar</translation>
    </message>
    <message>
        <source>working</source>
        <translation>trabalhando</translation>
    </message>
    <message>
        <source>pausing when this step is done</source>
        <translation>pausará ao fim deste passo</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausado</translation>
    </message>
    <message>
        <source>waits for your approval to go on</source>
        <translation>espera sua aprovação para continuar</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>parando</translation>
    </message>
    <message>
        <source>What is chosen of the driver</source>
        <translation>O que se escolhe do condutor</translation>
    </message>
</context>
<context>
    <name>kw::desktop::CodePanes</name>
    <message>
        <source>PTX · SASS</source>
        <translation>PTX · SASS</translation>
    </message>
    <message>
        <source>The source does not compile.</source>
        <translation>O código-fonte não compila.</translation>
    </message>
    <message>
        <source>F8 goes to the first error.</source>
        <translation>F8 vai para o primeiro erro.</translation>
    </message>
    <message>
        <source>PTX · SASS · step %1</source>
        <translation>PTX · SASS · etapa %1</translation>
    </message>
</context>
<context>
    <name>kw::desktop::CompareMeasure</name>
    <message>
        <source>%1 and %2</source>
        <comment>a list of numbers</comment>
        <translation>%1 e %2</translation>
    </message>
    <message>
        <source>Does not compile: %1</source>
        <translation>Não compila: %1</translation>
    </message>
    <message>
        <source>Wrong: %1</source>
        <translation>Errado: %1</translation>
    </message>
    <message>
        <source>Correct, not timed</source>
        <translation>Correto, sem tempo</translation>
    </message>
    <message>
        <source>Correct, %1; my text is not, so there is nothing to compare with</source>
        <translation>Correto, %1; o meu texto não é, portanto não há com o que comparar</translation>
    </message>
    <message>
        <source>estimate</source>
        <translation>estimativa</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>medido</translation>
    </message>
    <message>
        <source>%1 of my text (%2 to %3) · correct · %4</source>
        <translation>%1 do meu texto (%2 a %3) · correto · %4</translation>
    </message>
    <message>
        <source>%1 only compile together.</source>
        <translation>%1 só compilam juntas.</translation>
    </message>
    <message>
        <source>%1 does not compile without the others.</source>
        <translation>%1 não compila sem as outras.</translation>
    </message>
    <message>
        <source>Only right with the others: %1.</source>
        <translation>Só corretas com as outras: %1.</translation>
    </message>
    <message>
        <source>Together they do not compile.</source>
        <translation>Juntas não compilam.</translation>
    </message>
    <message>
        <source>Each is right alone; together they are wrong.</source>
        <translation>Cada uma é correta sozinha; juntas estão erradas.</translation>
    </message>
    <message>
        <source>Together %1, apart %2.</source>
        <translation>Juntas %1, separadas %2.</translation>
    </message>
    <message>
        <source>Correct, %1 by estimate; my text is not, so there is nothing to compare with</source>
        <translation>Correto, %1 por estimativa; o meu texto não é, portanto não há com o que comparar</translation>
    </message>
</context>
<context>
    <name>kw::desktop::ComparePane</name>
    <message>
        <source>Suggestion</source>
        <translation>Sugestão</translation>
    </message>
    <message>
        <source>Could not be measured: %1</source>
        <translation>Não pôde ser medida: %1</translation>
    </message>
    <message>
        <source>Next change</source>
        <translation>Próxima mudança</translation>
    </message>
    <message>
        <source>Previous change</source>
        <translation>Mudança anterior</translation>
    </message>
    <message>
        <source>Accept change</source>
        <translation>Aceitar mudança</translation>
    </message>
    <message>
        <source>Accept all changes</source>
        <translation>Aceitar todas as mudanças</translation>
    </message>
    <message>
        <source>Reject change…</source>
        <translation>Rejeitar mudança…</translation>
    </message>
    <message>
        <source>Measure this change</source>
        <translation>Medir esta mudança</translation>
    </message>
    <message>
        <source>Measure all changes</source>
        <translation>Medir todas as mudanças</translation>
    </message>
    <message>
        <source>Compare with my text</source>
        <translation>Comparar com o meu texto</translation>
    </message>
    <message>
        <source>Compare with the parent step</source>
        <translation>Comparar com o passo de origem</translation>
    </message>
    <message>
        <source>Compare with the best step</source>
        <translation>Comparar com o melhor passo</translation>
    </message>
    <message>
        <source>Suggestion · step %1</source>
        <translation>Sugestão · passo %1</translation>
    </message>
    <message>
        <source>No step is right yet, so this is against my text.</source>
        <translation>Nenhum passo está correto ainda, portanto compara com o meu texto.</translation>
    </message>
    <message>
        <source>This step has no parent, so this is against my text.</source>
        <translation>Este passo não tem origem, portanto compara com o meu texto.</translation>
    </message>
    <message>
        <source>against my text</source>
        <translation>com o meu texto</translation>
    </message>
    <message>
        <source>against its parent, step %1</source>
        <translation>com a origem, passo %1</translation>
    </message>
    <message>
        <source>against its parent (none)</source>
        <translation>com a origem (nenhuma)</translation>
    </message>
    <message>
        <source>against the best, step %1</source>
        <translation>com o melhor, passo %1</translation>
    </message>
    <message>
        <source>against the best (none yet)</source>
        <translation>com o melhor (nenhum ainda)</translation>
    </message>
    <message>
        <source>No suggestion</source>
        <translation>Nenhuma sugestão</translation>
    </message>
    <message>
        <source>Nothing is known of this step&apos;s source.</source>
        <translation>Nada se sabe da fonte deste passo.</translation>
    </message>
    <message>
        <source>Run the kernel or start an agent: the step that is selected is compared with your text here.</source>
        <translation>Execute o kernel ou inicie um agente: aqui o passo selecionado é comparado com o seu texto.</translation>
    </message>
    <message>
        <source>Not compared</source>
        <translation>Não comparado</translation>
    </message>
    <message>
        <source>Another file is in front</source>
        <translation>Outro arquivo está à frente</translation>
    </message>
    <message>
        <source>This suggestion is of %1; open that to compare.</source>
        <translation>Esta sugestão é de %1; abra-o para comparar.</translation>
    </message>
    <message>
        <source>Reading the step to compare with…</source>
        <translation>Lendo o passo de comparação…</translation>
    </message>
    <message>
        <source>Being written; it can be taken once it is whole.</source>
        <translation>Sendo escrita; pode ser aceita quando estiver completa.</translation>
    </message>
    <message>
        <source>My text is read only, so nothing can be taken.</source>
        <translation>O meu texto é somente leitura, portanto nada pode ser aceito.</translation>
    </message>
    <message numerus="yes">
        <source>My text has moved on: %n change(s) no longer fit.</source>
        <translation>
            <numerusform>Meu texto avançou: %n mudança não encaixa mais.</numerusform>
            <numerusform>Meu texto avançou: %n mudanças não encaixam mais.</numerusform>
        </translation>
    </message>
    <message>
        <source>The same as my text.</source>
        <translation>Igual ao meu texto.</translation>
    </message>
    <message>
        <source>The same as what it is compared with.</source>
        <translation>Igual ao que serve de comparação.</translation>
    </message>
    <message>
        <source>A run is under way; measuring beside it would disturb both.</source>
        <translation>Há uma execução em andamento; medir ao lado perturbaria as duas.</translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation>Medindo…</translation>
    </message>
    <message>
        <source>Measuring, %1 of %2 changes…</source>
        <translation>Medindo, %1 de %2 mudanças…</translation>
    </message>
    <message>
        <source>All together: %1</source>
        <translation>Todas juntas: %1</translation>
    </message>
    <message>
        <source>What the suggestion is compared with, read only</source>
        <translation>Com o que a sugestão é comparada, somente leitura</translation>
    </message>
    <message>
        <source>On the left is what this is compared with; typing there brings my text back.</source>
        <translation>À esquerda está o que serve de comparação; digitar ali traz de volta o meu texto.</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Passo %1</translation>
    </message>
    <message>
        <source>Being written</source>
        <translation>Sendo escrito</translation>
    </message>
    <message numerus="yes">
        <source>%n line(s): </source>
        <translation>
            <numerusform>%n linha: </numerusform>
            <numerusform>%n linhas: </numerusform>
        </translation>
    </message>
    <message>
        <source>The source of step %1 is not known, so this is against my text.</source>
        <translation>O código do passo %1 não é conhecido, então a comparação é com o meu texto.</translation>
    </message>
    <message>
        <source>This step&apos;s source cannot be read: %1.</source>
        <translation>O código deste passo não pode ser lido: %1.</translation>
    </message>
</context>
<context>
    <name>kw::desktop::CorrectnessPane</name>
    <message>
        <source>Correctness</source>
        <translation>Corretude</translation>
    </message>
</context>
<context>
    <name>kw::desktop::DeviceChooser</name>
    <message>
        <source>This machine</source>
        <translation>Esta máquina</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Dispositivo</translation>
    </message>
    <message>
        <source>Where kernels run (Ctrl+Shift+E). Simulated GPUs estimate time from counted events.</source>
        <translation>Onde os kernels são executados (Ctrl+Shift+E). As GPUs simuladas estimam o tempo a partir dos eventos contados.</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automático</translation>
    </message>
    <message>
        <source> · %1</source>
        <translation> · %1</translation>
    </message>
    <message>
        <source>%1 · no answer</source>
        <translation>%1 · sem resposta</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>Simulator</source>
        <translation>Simulador</translation>
    </message>
    <message>
        <source>Asking for devices…</source>
        <translation>Consultando dispositivos…</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Máquina</translation>
    </message>
    <message>
        <source>Forget %1</source>
        <translation>Esquecer %1</translation>
    </message>
    <message>
        <source>ssh:HOST, srun:--gres=gpu:1 or command:PROGRAM</source>
        <translation>ssh:HOST, srun:--gres=gpu:1 ou command:PROGRAMA</translation>
    </message>
    <message>
        <source>Another machine</source>
        <translation>Outra máquina</translation>
    </message>
    <message>
        <source>kw-worker has to be installed there.</source>
        <translation>O kw-worker precisa estar instalado lá.</translation>
    </message>
    <message numerus="yes">
        <source>Asking for devices… (%n s)</source>
        <translation>
            <numerusform>Perguntando por dispositivos… (%n s)</numerusform>
            <numerusform>Perguntando por dispositivos… (%n s)</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 · waiting, %2 s</source>
        <translation>%1 · aguardando, %2 s</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Tentar de novo</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
</context>
<context>
    <name>kw::desktop::Docks</name>
    <message>
        <source>Close %1</source>
        <translation>Fechar %1</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Edição</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Perfil</translation>
    </message>
    <message>
        <source>Review</source>
        <translation>Revisão</translation>
    </message>
</context>
<context>
    <name>kw::desktop::LessonPane</name>
    <message>
        <source>Lesson</source>
        <translation>Lição</translation>
    </message>
    <message>
        <source>A lesson goes from one step of a session to the next; this one has not two.</source>
        <translation>Uma lição vai de um passo da sessão ao seguinte; esta não tem dois.</translation>
    </message>
    <message>
        <source>Choose the step that questions are to come before</source>
        <translation>Escolha o passo antes do qual virão perguntas</translation>
    </message>
    <message>
        <source>Nothing is asked before the first step; choose a later one</source>
        <translation>Nada se pergunta antes do primeiro passo; escolha um posterior</translation>
    </message>
</context>
<context>
    <name>kw::desktop::MainWindow</name>
    <message>
        <source>Kernelwright</source>
        <translation>Kernelwright</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Passos</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Veredito</translation>
    </message>
    <message>
        <source>The trace is open</source>
        <translation>O trace está aberto</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>Problemas</translation>
    </message>
    <message>
        <source>Cannot open the session</source>
        <translation>Não foi possível abrir a sessão</translation>
    </message>
    <message>
        <source>compile</source>
        <translation>compilação</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Parado</translation>
    </message>
    <message>
        <source>Could not run</source>
        <translation>Não foi possível executar</translation>
    </message>
    <message>
        <source>No list of devices: %1</source>
        <translation>Sem lista de dispositivos: %1</translation>
    </message>
    <message>
        <source>Compiled in %1 ms</source>
        <translation>Compilado em %1 ms</translation>
    </message>
    <message>
        <source>Does not compile</source>
        <translation>Não compila</translation>
    </message>
    <message>
        <source>Cannot open %1</source>
        <translation>Não foi possível abrir %1</translation>
    </message>
    <message>
        <source>Connecting to %1…</source>
        <translation>Conectando a %1…</translation>
    </message>
    <message>
        <source>Compiling…</source>
        <translation>Compilando…</translation>
    </message>
    <message>
        <source>Nothing is known of step %1</source>
        <translation>Nada se sabe do passo %1</translation>
    </message>
    <message>
        <source>The task has no file %1</source>
        <translation>A tarefa não tem o arquivo %1</translation>
    </message>
    <message>
        <source>The text is that of step %1; undo brings yours back</source>
        <translation>O texto é o do passo %1; desfazer traz o seu de volta</translation>
    </message>
    <message>
        <source>Problems (%1)</source>
        <translation>Problemas (%1)</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 salvo</translation>
    </message>
    <message>
        <source>%1:%2 is not among the task&apos;s files</source>
        <translation>%1:%2 não está entre os arquivos da tarefa</translation>
    </message>
    <message>
        <source>no steps</source>
        <translation>nenhum passo</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>passo %1 de %2</translation>
    </message>
    <message>
        <source>No task</source>
        <translation>Nenhuma tarefa</translation>
    </message>
    <message>
        <source>%1[*] – Kernelwright</source>
        <translation>%1[*] – Kernelwright</translation>
    </message>
    <message>
        <source>Not saved: %1</source>
        <translation>Alterações não salvas: %1</translation>
    </message>
    <message>
        <source>Main</source>
        <translation>Principal</translation>
    </message>
    <message>
        <source>What is open; what was opened last</source>
        <translation>O que está aberto; o que foi aberto por último</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Tarefa</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Recentes</translation>
    </message>
    <message>
        <source>Layout: %1</source>
        <translation>Layout: %1</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Arquivo</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Editar</translation>
    </message>
    <message>
        <source>&amp;Kernel</source>
        <translation>&amp;Kernel</translation>
    </message>
    <message>
        <source>&amp;Step</source>
        <translation>&amp;Passo</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>E&amp;xibir</translation>
    </message>
    <message>
        <source>Pane: %1</source>
        <translation>Painel: %1</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>A&amp;juda</translation>
    </message>
    <message>
        <source>Open a task folder</source>
        <translation>Abrir uma pasta de tarefa</translation>
    </message>
    <message>
        <source>Open a session or a trace</source>
        <translation>Abrir uma sessão ou um trace</translation>
    </message>
    <message>
        <source>Sessions and traces (*.kwsession *.json *.json.gz *.sqlite);;All files (*)</source>
        <translation>Sessões e traces (*.kwsession *.json *.json.gz *.sqlite);;Todos os arquivos (*)</translation>
    </message>
    <message>
        <source>About Kernelwright</source>
        <translation>Sobre o Kernelwright</translation>
    </message>
    <message>
        <source>Kernelwright %1
A workbench for CUDA kernels.
GPL-3.0-or-later</source>
        <translation>Kernelwright %1
Uma bancada para kernels CUDA.
GPL-3.0-or-later</translation>
    </message>
    <message>
        <source>Nothing is known of what is at the caret.</source>
        <translation>Nada se sabe do que está no cursor.</translation>
    </message>
    <message>
        <source>The session may only be read: steps made now are gone when the window closes.</source>
        <translation>A sessão só pode ser lida: os passos feitos agora se perdem quando a janela for fechada.</translation>
    </message>
    <message>
        <source>Cannot copy %1</source>
        <translation>Não é possível copiar %1</translation>
    </message>
    <message>
        <source>Running…</source>
        <translation>Executando…</translation>
    </message>
    <message numerus="yes">
        <source>Still waiting for %1 (%n s); the device chooser can cancel that</source>
        <translation>
            <numerusform>Ainda aguardando %1 (%n s); o seletor de dispositivos pode cancelar</numerusform>
            <numerusform>Ainda aguardando %1 (%n s); o seletor de dispositivos pode cancelar</numerusform>
        </translation>
    </message>
    <message>
        <source>The connection to %1 was cancelled; the device chooser can try again</source>
        <translation>A conexão com %1 foi cancelada; o seletor de dispositivos pode tentar de novo</translation>
    </message>
    <message numerus="yes">
        <source>%n steps</source>
        <translation>
            <numerusform>%n etapa</numerusform>
            <numerusform>%n etapas</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was written</source>
        <translation>%1 foi escrito</translation>
    </message>
    <message>
        <source>Step %1 is looked at; this text is another.</source>
        <translation>A etapa %1 está em exibição; este texto é outro.</translation>
    </message>
    <message>
        <source>This is a record without a task, which is not compiled here.</source>
        <translation>Este é um registro sem tarefa, que não é compilado aqui.</translation>
    </message>
    <message>
        <source>This record holds no source</source>
        <translation>Este registro não tem fonte</translation>
    </message>
    <message>
        <source>This was recorded without a task: it can be read, not run.</source>
        <translation>Isto foi registrado sem tarefa: pode ser lido, não executado.</translation>
    </message>
    <message>
        <source>No task can be made of step %1: %2</source>
        <translation>Não se pode criar uma tarefa do passo %1: %2</translation>
    </message>
    <message>
        <source>The task compares the kernel with itself; correct its reference and sizes, then run it</source>
        <translation>A tarefa compara o kernel consigo mesmo; corrija a referência e os tamanhos e execute</translation>
    </message>
    <message>
        <source>The task compares the kernel with the first of the record; correct its sizes if need be, then run it</source>
        <translation>A tarefa compara o kernel com o primeiro do registro; corrija os tamanhos se for preciso e execute</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>etapa %1</translation>
    </message>
    <message>
        <source>&amp;Agent</source>
        <translation>A&amp;gente</translation>
    </message>
    <message>
        <source>Suggestion · being written</source>
        <translation>Sugestão · sendo escrita</translation>
    </message>
    <message>
        <source>&amp;Change</source>
        <translation>&amp;Mudança</translation>
    </message>
    <message>
        <source>The step is kept until it can be written: %1</source>
        <translation>O passo fica guardado até que possa ser escrito: %1</translation>
    </message>
</context>
<context>
    <name>kw::desktop::ProfilePanes</name>
    <message>
        <source>Timeline</source>
        <translation>Linha do tempo</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Métricas</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>Ocupação</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>passo %1</translation>
    </message>
</context>
<context>
    <name>kw::desktop::SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Configurações</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Tema</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Como o sistema</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Escuro</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Claro</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Tamanho do texto</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>CUDA Toolkit</source>
        <translation>CUDA Toolkit</translation>
    </message>
    <message>
        <source>Folder or library of NVRTC on the machine that compiles. Empty: $CUDA_HOME, the loader&apos;s path, /usr/local/cuda and Python&apos;s folders are searched.</source>
        <translation>Pasta ou biblioteca do NVRTC na máquina que compila. Vazio: a busca é feita em $CUDA_HOME, no caminho do loader, em /usr/local/cuda e nas pastas do Python.</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>Sessões</translation>
    </message>
    <message>
        <source>Every run is kept in %1</source>
        <translation>Cada execução é guardada em %1</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fechar</translation>
    </message>
    <message>
        <source>found automatically</source>
        <translation>encontrado automaticamente</translation>
    </message>
    <message>
        <source>Close brackets and quotes as they are opened</source>
        <translation>Fechar parênteses e aspas ao abri-los</translation>
    </message>
    <message>
        <source>Editing</source>
        <translation>Edição</translation>
    </message>
</context>
<context>
    <name>kw::desktop::SourceTabs</name>
    <message>
        <source>Open files</source>
        <translation>Arquivos abertos</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Arquivos</translation>
    </message>
    <message>
        <source>Open another file of the task</source>
        <translation>Abrir outro arquivo da tarefa</translation>
    </message>
    <message>
        <source>Text from %1 was never saved.</source>
        <translation>O texto de %1 nunca foi salvo.</translation>
    </message>
    <message>
        <source>Bring it back</source>
        <translation>Recuperar</translation>
    </message>
    <message>
        <source>Forget it</source>
        <translation>Descartar</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>kernel</translation>
    </message>
    <message>
        <source>reference</source>
        <translation>referência</translation>
    </message>
    <message>
        <source>baseline</source>
        <translation>baseline</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>Go on from it</source>
        <translation>Continuar a partir dela</translation>
    </message>
    <message>
        <source>Puts its text here; undo brings yours back (Alt+Return)</source>
        <translation>Põe o texto dela aqui; desfazer traz o seu de volta (Alt+Return)</translation>
    </message>
</context>
<context>
    <name>kw::desktop::StartPage</name>
    <message>
        <source>Kernelwright</source>
        <translation>Kernelwright</translation>
    </message>
    <message>
        <source>Write a CUDA kernel, see at once whether it is right, how fast it is, and why.</source>
        <translation>Escreva um kernel CUDA e veja na hora se ele está certo, quão rápido é e por quê.</translation>
    </message>
    <message>
        <source>Open a task folder…</source>
        <translation>Abrir uma pasta de tarefa…</translation>
    </message>
    <message>
        <source>or drop a task, a session or a trace here</source>
        <translation>ou solte aqui uma tarefa, uma sessão ou um trace</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Recentes</translation>
    </message>
    <message>
        <source>%1 · has unsaved text</source>
        <translation>%1 · tem texto não salvo</translation>
    </message>
    <message>
        <source>%1 (no longer there)</source>
        <translation>%1 (não existe mais)</translation>
    </message>
    <message>
        <source>Bundled tasks</source>
        <translation>Tarefas incluídas</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>Lição</translation>
    </message>
    <message>
        <source>From the plain kernel to a fast one, step by step, as recorded on a GPU</source>
        <translation>Do kernel simples ao rápido, passo a passo, como gravado em uma GPU</translation>
    </message>
    <message>
        <source>Lesson: %1</source>
        <translation>Lição: %1</translation>
    </message>
</context>
<context>
    <name>kw::desktop::TrajectoryPane</name>
    <message>
        <source>Reward</source>
        <translation>Recompensa</translation>
    </message>
</context>
<context>
    <name>kw::editor::CallTip</name>
    <message>
        <source>Call tip</source>
        <translation>Dica de chamada</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>e mais %n</numerusform>
            <numerusform>e mais %n</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::editor::ClangdClient</name>
    <message>
        <source>clangd does not answer, so completion goes on without it.</source>
        <translation>O clangd não responde; o autocompletar continua sem ele.</translation>
    </message>
    <message>
        <source>%1 cannot be started, so completion goes on without it.</source>
        <translation>Não foi possível iniciar %1; o autocompletar continua sem ele.</translation>
    </message>
    <message>
        <source>clangd has ended unexpectedly, so completion goes on without it.</source>
        <translation>O clangd terminou inesperadamente; o autocompletar continua sem ele.</translation>
    </message>
    <message>
        <source>clangd&apos;s answers make no sense (%1), so completion goes on without it.</source>
        <translation>As respostas do clangd não fazem sentido (%1); o autocompletar continua sem ele.</translation>
    </message>
</context>
<context>
    <name>kw::editor::CompareCard</name>
    <message>
        <source>Accept</source>
        <translation>Aceitar</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Medir</translation>
    </message>
    <message>
        <source>Reject</source>
        <translation>Rejeitar</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Mudança</translation>
    </message>
    <message>
        <source>Take this change, or its selected lines, into my text (Ctrl+Return)</source>
        <translation>Levar esta mudança, ou suas linhas selecionadas, para o meu texto (Ctrl+Return)</translation>
    </message>
    <message>
        <source>Evaluate my text with this change (Ctrl+M)</source>
        <translation>Avaliar o meu texto com esta mudança (Ctrl+M)</translation>
    </message>
    <message>
        <source>Turn it down with a reason that the agent gets to read (Ctrl+Backspace)</source>
        <translation>Recusá-la com um motivo que o agente lerá (Ctrl+Backspace)</translation>
    </message>
    <message>
        <source>Why this change is rejected</source>
        <translation>Por que esta mudança é rejeitada</translation>
    </message>
    <message>
        <source>Why? Return rejects, Esc keeps it</source>
        <translation>Por quê? Return rejeita, Esc mantém</translation>
    </message>
    <message>
        <source>Change %1 of %2</source>
        <translation>Mudança %1 de %2</translation>
    </message>
    <message numerus="yes">
        <source>Accept %n line(s)</source>
        <translation>
            <numerusform>Aceitar %n linha</numerusform>
            <numerusform>Aceitar %n linhas</numerusform>
        </translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Parar</translation>
    </message>
    <message>
        <source>Stop measuring</source>
        <translation>Parar de medir</translation>
    </message>
</context>
<context>
    <name>kw::editor::CompareView</name>
    <message>
        <source>Previous change (Shift+F7)</source>
        <translation>Mudança anterior (Shift+F7)</translation>
    </message>
    <message>
        <source>Next change (F7)</source>
        <translation>Próxima mudança (F7)</translation>
    </message>
    <message>
        <source>Accept all</source>
        <translation>Aceitar todas</translation>
    </message>
    <message>
        <source>Measure all</source>
        <translation>Medir todas</translation>
    </message>
    <message>
        <source>Suggestion</source>
        <translation>Sugestão</translation>
    </message>
    <message>
        <source>Suggestion, read only</source>
        <translation>Sugestão, somente leitura</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Comparar com</translation>
    </message>
    <message>
        <source>What the suggestion is compared with</source>
        <translation>Com o que a sugestão é comparada</translation>
    </message>
    <message>
        <source>Take every change that can be taken, as one thing to undo (Ctrl+Shift+Return)</source>
        <translation>Aceitar toda mudança possível, como uma só coisa a desfazer (Ctrl+Shift+Return)</translation>
    </message>
    <message>
        <source>Evaluate each change alone and all together (Ctrl+Shift+M)</source>
        <translation>Avaliar cada mudança sozinha e todas juntas (Ctrl+Shift+M)</translation>
    </message>
    <message>
        <source>No suggestion</source>
        <translation>Nenhuma sugestão</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Parar</translation>
    </message>
    <message numerus="yes">
        <source>%n change(s)</source>
        <translation>
            <numerusform>%n mudança</numerusform>
            <numerusform>%n mudanças</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::editor::CompletionPopup</name>
    <message>
        <source>Completions</source>
        <translation>Sugestões</translation>
    </message>
    <message>
        <source>Signature</source>
        <translation>Assinatura</translation>
    </message>
    <message>
        <source>Explanation</source>
        <translation>Explicação</translation>
    </message>
</context>
<context>
    <name>kw::editor::CudaEditor</name>
    <message>
        <source>Kernel source</source>
        <translation>Código-fonte do kernel</translation>
    </message>
</context>
<context>
    <name>kw::editor::EditorPane</name>
    <message>
        <source>Editor</source>
        <translation>Editor</translation>
    </message>
    <message>
        <source>Line to go to</source>
        <translation>Linha de destino</translation>
    </message>
    <message>
        <source>Go to line</source>
        <translation>Ir para a linha</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Localizar</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Substituir</translation>
    </message>
    <message>
        <source>Find next</source>
        <translation>Localizar próxima</translation>
    </message>
    <message>
        <source>Find previous</source>
        <translation>Localizar anterior</translation>
    </message>
    <message>
        <source>Toggle comment</source>
        <translation>Alternar comentário</translation>
    </message>
    <message>
        <source>Duplicate line</source>
        <translation>Duplicar linha</translation>
    </message>
    <message>
        <source>Move line up</source>
        <translation>Mover linha para cima</translation>
    </message>
    <message>
        <source>Move line down</source>
        <translation>Mover linha para baixo</translation>
    </message>
    <message>
        <source>Select next occurrence</source>
        <translation>Selecionar próxima ocorrência</translation>
    </message>
    <message>
        <source>Select all occurrences</source>
        <translation>Selecionar todas as ocorrências</translation>
    </message>
    <message>
        <source>Add cursor above</source>
        <translation>Adicionar cursor acima</translation>
    </message>
    <message>
        <source>Add cursor below</source>
        <translation>Adicionar cursor abaixo</translation>
    </message>
    <message>
        <source>Fold all</source>
        <translation>Recolher tudo</translation>
    </message>
    <message>
        <source>Unfold all</source>
        <translation>Expandir tudo</translation>
    </message>
    <message>
        <source>Indent</source>
        <translation>Aumentar recuo</translation>
    </message>
    <message>
        <source>Unindent</source>
        <translation>Diminuir recuo</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>Texto maior</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>Texto menor</translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation>Tamanho normal do texto</translation>
    </message>
    <message>
        <source>Complete</source>
        <translation>Autocompletar</translation>
    </message>
    <message>
        <source>%1 may not be written.</source>
        <translation>Não há permissão para gravar %1.</translation>
    </message>
    <message>
        <source>Edit anyway</source>
        <translation>Editar mesmo assim</translation>
    </message>
    <message>
        <source>Convert to UTF-8</source>
        <translation>Converter para UTF-8</translation>
    </message>
    <message>
        <source>%1 was deleted; saving writes it again.</source>
        <translation>%1 foi excluído; salvar grava o arquivo de novo.</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Salvar</translation>
    </message>
    <message>
        <source>%1 was changed by another program; its new text is shown.</source>
        <translation>%1 foi alterado por outro programa; o novo texto é mostrado.</translation>
    </message>
    <message>
        <source>%1 was changed by another program.</source>
        <translation>%1 foi alterado por outro programa.</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Recarregar</translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation>Manter o meu</translation>
    </message>
    <message>
        <source>line[:column], up to %1</source>
        <translation>linha[:coluna], até %1</translation>
    </message>
    <message>
        <source>A line is a number from 1, with a column as in 12:5.</source>
        <translation>A linha é um número a partir de 1; com coluna, como em 12:5.</translation>
    </message>
    <message>
        <source>%1 is not UTF-8 (byte %2): it is shown, and will be saved, as Latin-1.</source>
        <translation>%1 não é UTF-8 (byte %2): é mostrado, e será salvo, como Latin-1.</translation>
    </message>
</context>
<context>
    <name>kw::editor::FindBar</name>
    <message>
        <source>The pattern is not valid: %1 (character %2).</source>
        <translation>O padrão não é válido: %1 (caractere %2).</translation>
    </message>
    <message>
        <source>Match case</source>
        <translation>Diferenciar maiúsculas de minúsculas</translation>
    </message>
    <message>
        <source>Whole words</source>
        <translation>Palavras inteiras</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>Expressão regular</translation>
    </message>
    <message>
        <source>Previous match (Shift+F3)</source>
        <translation>Ocorrência anterior (Shift+F3)</translation>
    </message>
    <message>
        <source>Next match (F3)</source>
        <translation>Próxima ocorrência (F3)</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Substituir</translation>
    </message>
    <message>
        <source>Replace this match and go to the next</source>
        <translation>Substituir esta ocorrência e ir para a próxima</translation>
    </message>
    <message>
        <source>Replace all</source>
        <translation>Substituir tudo</translation>
    </message>
    <message>
        <source>Replace every match</source>
        <translation>Substituir todas as ocorrências</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>Fechar (Esc)</translation>
    </message>
    <message>
        <source>Find and replace</source>
        <translation>Localizar e substituir</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Localizar</translation>
    </message>
    <message>
        <source>Replace with</source>
        <translation>Substituir por</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Ocorrências</translation>
    </message>
    <message>
        <source>no match</source>
        <translation>nenhuma ocorrência</translation>
    </message>
    <message>
        <source>more than %1</source>
        <translation>mais de %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 de %2</translation>
    </message>
    <message numerus="yes">
        <source>%n match(es)</source>
        <translation>
            <numerusform>%n ocorrência</numerusform>
            <numerusform>%n ocorrências</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n replaced</source>
        <translation>
            <numerusform>%n substituída</numerusform>
            <numerusform>%n substituídas</numerusform>
        </translation>
    </message>
    <message>
        <source>Problem with the pattern</source>
        <translation>Problema com o padrão</translation>
    </message>
    <message>
        <source>The pattern takes too long in this text; make it simpler or more exact.</source>
        <translation>O padrão demora demais neste texto; deixe-o mais simples ou mais exato.</translation>
    </message>
</context>
<context>
    <name>kw::editor::HeatChooser</name>
    <message>
        <source>Heat by line</source>
        <translation>Calor por linha</translation>
    </message>
    <message>
        <source>What the margin shows for each line</source>
        <translation>O que a margem mostra para cada linha</translation>
    </message>
    <message>
        <source>No profile yet</source>
        <translation>Nenhum perfil ainda</translation>
    </message>
    <message>
        <source>No heat</source>
        <translation>Sem calor</translation>
    </message>
</context>
<context>
    <name>kw::editor::HeatMargin</name>
    <message>
        <source>Heat by line</source>
        <translation>Calor por linha</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>, %1 of all</source>
        <translation>, %1 do total</translation>
    </message>
    <message>
        <source> (measured)</source>
        <translation> (medido)</translation>
    </message>
    <message>
        <source> (estimated)</source>
        <translation> (estimado)</translation>
    </message>
</context>
<context>
    <name>kw::editor::KernelStrip</name>
    <message>
        <source>blocks</source>
        <translation>blocos</translation>
    </message>
    <message>
        <source>warps</source>
        <translation>warps</translation>
    </message>
    <message>
        <source>registers</source>
        <translation>registradores</translation>
    </message>
    <message>
        <source>shared memory</source>
        <translation>memória compartilhada</translation>
    </message>
    <message>
        <source>Resources of the kernels</source>
        <translation>Recursos dos kernels</translation>
    </message>
    <message>
        <source>Show the code of %1</source>
        <translation>Mostrar o código de %1</translation>
    </message>
    <message>
        <source>Registers of a thread; a multiprocessor has 65 536 to share out.</source>
        <translation>Registradores de uma thread; um multiprocessador tem 65 536 para distribuir.</translation>
    </message>
    <message>
        <source>%1 + %2</source>
        <translation>%1 + %2</translation>
    </message>
    <message>
        <source>shared</source>
        <translation>compartilhada</translation>
    </message>
    <message>
        <source>Shared memory of a block: static + dynamic, which the launch asks for.</source>
        <translation>Memória compartilhada de um bloco: estática + dinâmica, esta pedida pelo lançamento.</translation>
    </message>
    <message>
        <source>Shared memory of a block.</source>
        <translation>Memória compartilhada de um bloco.</translation>
    </message>
    <message>
        <source>spilled</source>
        <translation>de spill</translation>
    </message>
    <message>
        <source>Registers were too few, so values go to memory and back: bytes of such stores and loads.</source>
        <translation>Faltaram registradores, então valores vão para a memória e voltam: bytes desses stores e loads.</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nenhum</translation>
    </message>
    <message>
        <source>spills</source>
        <translation>spill</translation>
    </message>
    <message>
        <source>All values stay in registers.</source>
        <translation>Todos os valores ficam em registradores.</translation>
    </message>
    <message>
        <source>local</source>
        <translation>local</translation>
    </message>
    <message>
        <source>Memory of a thread for arrays with computed indices and for spilled values.</source>
        <translation>Memória de uma thread para arrays com índices calculados e para valores em spill.</translation>
    </message>
    <message>
        <source>%1: %2 blocks</source>
        <translation>%1: %2 blocos</translation>
    </message>
    <message>
        <source>occupancy, limited by %1</source>
        <translation>de ocupação, limitada por %1</translation>
    </message>
    <message>
        <source>A block needs more than a multiprocessor has, so this cannot be launched.</source>
        <translation>Um bloco precisa de mais do que um multiprocessador tem, então não pode ser lançado.</translation>
    </message>
    <message>
        <source>Warps that fit on a multiprocessor, of the most it holds, in blocks of %1 threads. What allows how many blocks: %2.</source>
        <translation>Warps que cabem em um multiprocessador, em relação ao máximo que ele comporta, em blocos de %1 threads. Quantos blocos cada recurso permite: %2.</translation>
    </message>
    <message>
        <source>occupancy</source>
        <translation>ocupação</translation>
    </message>
    <message>
        <source>Known when the kernel is compiled for a GPU and launched.</source>
        <translation>Conhecida quando o kernel é compilado para uma GPU e lançado.</translation>
    </message>
</context>
<context>
    <name>kw::editor::ListingPane</name>
    <message>
        <source>disassembling…</source>
        <translation>desmontando…</translation>
    </message>
    <message>
        <source>PTX and SASS</source>
        <translation>PTX e SASS</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>PTX</source>
        <translation>PTX</translation>
    </message>
    <message>
        <source>SASS</source>
        <translation>SASS</translation>
    </message>
    <message>
        <source>The compiler&apos;s intermediate code</source>
        <translation>O código intermediário do compilador</translation>
    </message>
    <message>
        <source>The GPU&apos;s machine code; needs nvdisasm</source>
        <translation>O código de máquina da GPU; precisa do nvdisasm</translation>
    </message>
    <message>
        <source>No code yet</source>
        <translation>Nenhum código ainda</translation>
    </message>
    <message>
        <source>What the compiler makes of the source appears here when it compiles.</source>
        <translation>O que o compilador gera a partir do código-fonte aparece aqui quando ele compila.</translation>
    </message>
    <message>
        <source>Disassembling…</source>
        <translation>Desmontando…</translation>
    </message>
</context>
<context>
    <name>kw::editor::NoticeBar</name>
    <message>
        <source>Notice</source>
        <translation>Aviso</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Dispensar</translation>
    </message>
</context>
<context>
    <name>kw::editor::ProblemList</name>
    <message>
        <source>Problems</source>
        <translation>Problemas</translation>
    </message>
    <message>
        <source>No problems</source>
        <translation>Nenhum problema</translation>
    </message>
    <message>
        <source>What the compiler says of the source appears here as you type.</source>
        <translation>O que o compilador diz do código-fonte aparece aqui enquanto você digita.</translation>
    </message>
    <message>
        <source>Not checked yet</source>
        <translation>Ainda não verificado</translation>
    </message>
    <message>
        <source>Not checked</source>
        <translation>Não verificado</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views</name>
    <message>
        <source>Before</source>
        <translation>Antes</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Razão</translation>
    </message>
    <message>
        <source>Now divided by before</source>
        <translation>Agora dividido por antes</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Valor</translation>
    </message>
    <message>
        <source>Section</source>
        <translation>Seção</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Métrica</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Tipo</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Fonte</translation>
    </message>
    <message>
        <source>Counter or formula</source>
        <translation>Contador ou fórmula</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>Id</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>estimado</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>medido</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>Unidade</translation>
    </message>
    <message>
        <source>Of its peak</source>
        <translation>Do pico</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>Nível</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Requisições</translation>
    </message>
    <message>
        <source>Warp instructions</source>
        <translation>Instruções de warp</translation>
    </message>
    <message>
        <source>Sectors</source>
        <translation>Setores</translation>
    </message>
    <message>
        <source>Pieces of 32 bytes; of shared memory wavefronts, the turns that it takes</source>
        <translation>Pedaços de 32 bytes; para a memória compartilhada, wavefronts: as rodadas necessárias</translation>
    </message>
    <message>
        <source>Each</source>
        <translation>Por requisição</translation>
    </message>
    <message>
        <source>Sectors or wavefronts per request</source>
        <translation>Setores ou wavefronts por requisição</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Hits</source>
        <translation>Acertos</translation>
    </message>
    <message>
        <source>Of peak</source>
        <translation>Do pico</translation>
    </message>
    <message>
        <source>Global loads</source>
        <translation>Loads globais</translation>
    </message>
    <message>
        <source>Global stores</source>
        <translation>Stores globais</translation>
    </message>
    <message>
        <source>Global atomics</source>
        <translation>Atômicas globais</translation>
    </message>
    <message>
        <source>Local</source>
        <translation>Local</translation>
    </message>
    <message>
        <source>Shared loads</source>
        <translation>Loads da compartilhada</translation>
    </message>
    <message>
        <source>Shared stores</source>
        <translation>Stores na compartilhada</translation>
    </message>
    <message>
        <source>L1</source>
        <translation>L1</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>DRAM reads</source>
        <translation>Leituras da DRAM</translation>
    </message>
    <message>
        <source>DRAM writes</source>
        <translation>Escritas na DRAM</translation>
    </message>
    <message>
        <source>What warps wait for</source>
        <translation>O que os warps esperam</translation>
    </message>
    <message>
        <source>Of their time</source>
        <translation>Do tempo deles</translation>
    </message>
    <message>
        <source>%1 for each instruction that is issued</source>
        <translation>%1 por instrução emitida</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1, %2: %3</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Lançamento</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Grid</translation>
    </message>
    <message>
        <source>Blocks of the launch</source>
        <translation>Blocos do lançamento</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>Bloco</translation>
    </message>
    <message>
        <source>Threads of a block</source>
        <translation>Threads de um bloco</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>Blocks of a cluster</source>
        <translation>Blocos de um cluster</translation>
    </message>
    <message>
        <source>Registers per thread</source>
        <translation>Registradores por thread</translation>
    </message>
    <message>
        <source>Registers that the compiler gave to a thread</source>
        <translation>Registradores que o compilador deu a uma thread</translation>
    </message>
    <message>
        <source>Static shared memory</source>
        <translation>Memória compartilhada estática</translation>
    </message>
    <message>
        <source>Shared memory of a block that the source declares with its size</source>
        <translation>Memória compartilhada de um bloco que o código-fonte declara com tamanho</translation>
    </message>
    <message>
        <source>Dynamic shared memory</source>
        <translation>Memória compartilhada dinâmica</translation>
    </message>
    <message>
        <source>Shared memory of a block that the launch asks for</source>
        <translation>Memória compartilhada de um bloco que o lançamento pede</translation>
    </message>
    <message>
        <source>Local memory per thread</source>
        <translation>Memória local por thread</translation>
    </message>
    <message>
        <source>Stack and spilled registers</source>
        <translation>Pilha e registradores em spill</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Linha</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>amostras</translation>
    </message>
    <message>
        <source>no line known</source>
        <translation>linha desconhecida</translation>
    </message>
    <message>
        <source>%1 of the kernel&apos;s</source>
        <translation>%1 do total do kernel</translation>
    </message>
    <message>
        <source>Speed of light</source>
        <translation>Speed of light</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Memória</translation>
    </message>
    <message>
        <source>Stalls</source>
        <translation>Stalls</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>Escalonador</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>Ocupação</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Instruções</translation>
    </message>
    <message>
        <source>Simulator</source>
        <translation>Simulador</translation>
    </message>
    <message>
        <source>CUPTI counters</source>
        <translation>Contadores da CUPTI</translation>
    </message>
    <message>
        <source>Computed from counters</source>
        <translation>Calculado a partir de contadores</translation>
    </message>
    <message>
        <source>CUPTI activity</source>
        <translation>Atividade da CUPTI</translation>
    </message>
    <message>
        <source>PC sampling</source>
        <translation>PC sampling</translation>
    </message>
    <message>
        <source>Activity trace</source>
        <translation>Trace de atividade</translation>
    </message>
    <message>
        <source>Counters</source>
        <translation>Contadores</translation>
    </message>
    <message>
        <source>PM sampling</source>
        <translation>PM sampling</translation>
    </message>
    <message>
        <source>%1 was not asked for.</source>
        <translation>%1: etapa não pedida.</translation>
    </message>
    <message>
        <source>%1 was skipped.</source>
        <translation>%1: etapa pulada.</translation>
    </message>
    <message>
        <source>%1 failed.</source>
        <translation>%1: etapa com falha.</translation>
    </message>
    <message>
        <source>Registers and shared memory each let %1 blocks on an SM: more need less of both.</source>
        <translation>Registradores e memória compartilhada permitem, cada um, %1 blocos em um SM: para ter mais, é preciso usar menos de ambos.</translation>
    </message>
    <message>
        <source>An SM holds no more than %1 blocks: larger blocks would bring more warps.</source>
        <translation>Um SM comporta no máximo %1 blocos: blocos maiores trariam mais warps.</translation>
    </message>
    <message>
        <source>A block may have no more than %1 threads.</source>
        <translation>Um bloco pode ter no máximo %1 threads.</translation>
    </message>
    <message>
        <source>All %1 warps that an SM holds are there.</source>
        <translation>Todos os %1 warps que um SM comporta estão presentes.</translation>
    </message>
    <message>
        <source>%1 blocks of this size leave warps over that are too few for another block: a block size that divides %2 threads would fill the SM.</source>
        <translation>%1 blocos deste tamanho deixam sobrar warps insuficientes para mais um bloco: um tamanho de bloco que divida %2 threads encheria o SM.</translation>
    </message>
    <message>
        <source>A thread may have no more than %1 registers.</source>
        <translation>Uma thread pode ter no máximo %1 registradores.</translation>
    </message>
    <message>
        <source>Registers let %1 blocks on an SM; with %2 instead of %3 per thread there would be more.</source>
        <translation>Os registradores permitem %1 blocos em um SM; com %2 em vez de %3 por thread, haveria mais.</translation>
    </message>
    <message>
        <source>Registers let %1 blocks on an SM.</source>
        <translation>Os registradores permitem %1 blocos em um SM.</translation>
    </message>
    <message>
        <source>A block may have no more than %1 of shared memory.</source>
        <translation>Um bloco pode ter no máximo %1 de memória compartilhada.</translation>
    </message>
    <message>
        <source>Shared memory lets %1 blocks on an SM; with %2 bytes per block instead of %3 there would be more.</source>
        <translation>A memória compartilhada permite %1 blocos em um SM; com %2 bytes por bloco em vez de %3, haveria mais.</translation>
    </message>
    <message>
        <source>Shared memory lets %1 blocks on an SM.</source>
        <translation>A memória compartilhada permite %1 blocos em um SM.</translation>
    </message>
    <message>
        <source>%1: %2 at %3 of %4 traffic</source>
        <translation>%1: %2 a %3 de tráfego de %4</translation>
    </message>
    <message>
        <source>, %1 of what the roof allows there, which %2 sets</source>
        <translation>, %1 do que o teto permite ali, definido por %2</translation>
    </message>
    <message>
        <source>Operations per byte</source>
        <translation>Operações por byte</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Taxa</translation>
    </message>
    <message>
        <source>no sizes</source>
        <translation>sem tamanhos</translation>
    </message>
    <message>
        <source>Does not compile</source>
        <translation>Não compila</translation>
    </message>
    <message>
        <source>Wrong after timing</source>
        <translation>Errado após a medição de tempo</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>Falha na execução</translation>
    </message>
    <message>
        <source>Wrong result</source>
        <translation>Resultado errado</translation>
    </message>
    <message>
        <source>
block (%1, %2, %3), thread (%4, %5, %6)</source>
        <translation>
bloco (%1, %2, %3), thread (%4, %5, %6)</translation>
    </message>
    <message>
        <source>%1 – %2, %3 samples</source>
        <translation>%1 – %2, %3 amostras</translation>
    </message>
    <message>
        <source>bound by %1</source>
        <translation>limitado por %1</translation>
    </message>
    <message>
        <source>from a sample of the blocks</source>
        <translation>de uma amostra dos blocos</translation>
    </message>
    <message>
        <source> (%1 – %2)</source>
        <translation> (%1 – %2)</translation>
    </message>
    <message>
        <source>%1 the speed of %2</source>
        <translation>%1 a velocidade de %2</translation>
    </message>
    <message>
        <source>Correct</source>
        <translation>Correto</translation>
    </message>
    <message>
        <source>Compiles</source>
        <translation>Compila</translation>
    </message>
    <message>
        <source>%1 registers</source>
        <translation>%1 registradores</translation>
    </message>
    <message>
        <source>%1 shared</source>
        <translation>%1 de memória compartilhada</translation>
    </message>
    <message>
        <source>%1 spilled</source>
        <translation>%1 em spill</translation>
    </message>
    <message>
        <source>compiled in %1</source>
        <translation>compilado em %1</translation>
    </message>
    <message>
        <source>does not compile</source>
        <translation>não compila</translation>
    </message>
    <message>
        <source>faulted</source>
        <translation>falhou na execução</translation>
    </message>
    <message>
        <source>%1/%2 checks</source>
        <translation>%1/%2 verificações</translation>
    </message>
    <message>
        <source>reward %1</source>
        <translation>recompensa %1</translation>
    </message>
    <message>
        <source>now</source>
        <translation>agora</translation>
    </message>
    <message>
        <source>%1 at %2: occupancy %3</source>
        <translation>%1 em %2: ocupação %3</translation>
    </message>
    <message>
        <source>Threads per block</source>
        <translation>Threads por bloco</translation>
    </message>
    <message>
        <source>Shared memory per block</source>
        <translation>Memória compartilhada por bloco</translation>
    </message>
    <message>
        <source>max error %1, %2</source>
        <translation>erro máx. %1, %2</translation>
    </message>
    <message>
        <source>ULP say nothing near zero</source>
        <translation>ULP nada dizem perto de zero</translation>
    </message>
    <message>
        <source>%1 ULP</source>
        <translation>%1 ULP</translation>
    </message>
    <message>
        <source>%1 (%2, line %3)</source>
        <translation>%1 (%2, linha %3)</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>recusada</translation>
    </message>
    <message>
        <source>suspicious</source>
        <translation>suspeita</translation>
    </message>
    <message>
        <source>note</source>
        <translation>nota</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::CellTable</name>
    <message>
        <source>Copy as table</source>
        <translation>Copiar como tabela</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::CheckModel</name>
    <message>
        <source>right</source>
        <translation>certo</translation>
    </message>
    <message>
        <source>wrong</source>
        <translation>errado</translation>
    </message>
    <message>
        <source>check</source>
        <translation>verificação</translation>
    </message>
    <message>
        <source>output</source>
        <translation>saída</translation>
    </message>
    <message>
        <source>sizes</source>
        <translation>tamanhos</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>semente</translation>
    </message>
    <message>
        <source>largest |error|</source>
        <translation>maior |erro|</translation>
    </message>
    <message>
        <source>max ULP</source>
        <translation>ULP máx.</translation>
    </message>
    <message>
        <source>near zero</source>
        <translation>perto de zero</translation>
    </message>
    <message>
        <source>%1 of %2 elements of %3 are wrong, at %4, seed %5</source>
        <translation>%1 de %2 elementos de %3 estão errados, em %4, semente %5</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::CorrectnessView</name>
    <message>
        <source>Nothing checked yet</source>
        <translation>Nada verificado ainda</translation>
    </message>
    <message>
        <source>Ctrl+R runs the kernel and compares each output with the reference&apos;s; here you then see where they differ.</source>
        <translation>Ctrl+R executa o kernel e compara cada saída com a da referência; aqui você vê então onde elas diferem.</translation>
    </message>
    <message>
        <source>Correctness</source>
        <translation>Corretude</translation>
    </message>
    <message>
        <source>Checks</source>
        <translation>Verificações</translation>
    </message>
    <message>
        <source>Look at the elements</source>
        <translation>Ver os elementos</translation>
    </message>
    <message>
        <source>Runs this check again with the same inputs and keeps its outputs</source>
        <translation>Executa esta verificação de novo com as mesmas entradas e guarda as saídas</translation>
    </message>
    <message>
        <source>Running the check again</source>
        <translation>Executando a verificação de novo</translation>
    </message>
    <message>
        <source>Next wrong</source>
        <translation>Próximo erro</translation>
    </message>
    <message>
        <source>To the next element that fails (N; Shift+N: the one before)</source>
        <translation>Vai para o próximo elemento reprovado (N; Shift+N: o anterior)</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Enquadrar</translation>
    </message>
    <message>
        <source>Show the whole output (F)</source>
        <translation>Mostra a saída inteira (F)</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportar…</translation>
    </message>
    <message>
        <source>Save the map as a picture</source>
        <translation>Salva o mapa como imagem</translation>
    </message>
    <message>
        <source>Elements by ULP</source>
        <translation>Elementos por ULP</translation>
    </message>
    <message>
        <source>Elements by relative error</source>
        <translation>Elementos por erro relativo</translation>
    </message>
    <message>
        <source>It does not compile, so nothing was checked.</source>
        <translation>Não compila, então nada foi verificado.</translation>
    </message>
    <message>
        <source>%1 after %2 checks</source>
        <translation>%1 após %2 verificações</translation>
    </message>
    <message>
        <source>%1 of %2 checks are wrong</source>
        <translation>%1 de %2 verificações estão erradas</translation>
    </message>
    <message>
        <source>Go to %1:%2</source>
        <translation>Ir para %1:%2</translation>
    </message>
    <message>
        <source>Running the check again …</source>
        <translation>Executando a verificação de novo …</translation>
    </message>
    <message>
        <source>The check could not be run again.</source>
        <translation>Não foi possível executar a verificação de novo.</translation>
    </message>
    <message>
        <source>%1 What is shown was written until then.</source>
        <translation>%1 O que é mostrado foi escrito até então.</translation>
    </message>
    <message>
        <source>Recorded by tiles of %1 × %2 elements.</source>
        <translation>Registrado por tiles de %1 × %2 elementos.</translation>
    </message>
    <message>
        <source>All elements of %1 are within the tolerance.</source>
        <translation>Todos os elementos de %1 estão dentro da tolerância.</translation>
    </message>
    <message>
        <source>%1 of %2 pass</source>
        <translation>%1 de %2 passam</translation>
    </message>
    <message>
        <source>%1 of %2 would pass</source>
        <translation>%1 de %2 passariam</translation>
    </message>
    <message>
        <source>%1 to %2 of %3 would pass</source>
        <translation>de %1 a %2 de %3 passariam</translation>
    </message>
    <message>
        <source>No element fails.</source>
        <translation>Nenhum elemento reprovado.</translation>
    </message>
    <message>
        <source>%1 could not be written; choose a folder that you may write to</source>
        <translation>Não foi possível gravar %1; escolha uma pasta em que você possa gravar</translation>
    </message>
    <message>
        <source>Export the error map</source>
        <translation>Exportar o mapa de erros</translation>
    </message>
    <message>
        <source>Pictures (*.png)</source>
        <translation>Imagens (*.png)</translation>
    </message>
    <message>
        <source>All %1 checks passed; largest error %2, %3</source>
        <translation>Todas as %1 verificações passaram; maior erro %2, %3</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::DetailsModel</name>
    <message>
        <source>Name</source>
        <translation>Nome</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>Categoria</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Início</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Duração</translation>
    </message>
    <message>
        <source>an instant</source>
        <translation>um instante</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>Faixa</translation>
    </message>
    <message>
        <source>Started by</source>
        <translation>Iniciado por</translation>
    </message>
    <message>
        <source>Starts</source>
        <translation>Inicia</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mais</translation>
    </message>
    <message>
        <source>Property</source>
        <translation>Propriedade</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Valor</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::ElementPanel</name>
    <message>
        <source>the warp of thread %1</source>
        <translation>pelo warp da thread %1</translation>
    </message>
    <message>
        <source>thread %1</source>
        <translation>pela thread %1</translation>
    </message>
    <message>
        <source>changed by %1, block %2, %3</source>
        <translation>alterado %1, bloco %2, %3</translation>
    </message>
    <message>
        <source>written by %1, block %2, %3</source>
        <translation>escrito %1, bloco %2, %3</translation>
    </message>
    <message>
        <source>Element</source>
        <translation>Elemento</translation>
    </message>
    <message>
        <source>Click an element, or press N for the next one that fails.</source>
        <translation>Clique em um elemento ou pressione N para ir ao próximo reprovado.</translation>
    </message>
    <message>
        <source>Who wrote it?</source>
        <translation>Quem escreveu?</translation>
    </message>
    <message>
        <source>Runs the check once more on the simulator and looks who writes this element (W)</source>
        <translation>Executa a verificação mais uma vez no simulador e vê quem escreve este elemento (W)</translation>
    </message>
    <message>
        <source>expected</source>
        <translation>esperado</translation>
    </message>
    <message>
        <source>actual</source>
        <translation>obtido</translation>
    </message>
    <message>
        <source>|error|</source>
        <translation>|erro|</translation>
    </message>
    <message>
        <source>relative</source>
        <translation>relativo</translation>
    </message>
    <message>
        <source>ULP</source>
        <translation>ULP</translation>
    </message>
    <message>
        <source>÷ tolerance</source>
        <translation>÷ tolerância</translation>
    </message>
    <message>
        <source>Go to %1:%2</source>
        <translation>Ir para %1:%2</translation>
    </message>
    <message>
        <source>Looking who writes it …</source>
        <translation>Vendo quem o escreve …</translation>
    </message>
    <message numerus="yes">
        <source>and by %n more thread(s)</source>
        <translation>
            <numerusform>e por mais %n thread</numerusform>
            <numerusform>e por mais %n threads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::ErrorBars</name>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>exato</translation>
    </message>
    <message>
        <source>%1 ULP</source>
        <translation>%1 ULP</translation>
    </message>
    <message>
        <source>off by %1</source>
        <translation>diferença de %1</translation>
    </message>
    <message>
        <source>NaN, or infinite alone</source>
        <translation>NaN, ou infinito só de um lado</translation>
    </message>
    <message>
        <source>relative error from %1</source>
        <translation>erro relativo a partir de %1</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::ErrorLegend</name>
    <message>
        <source>The error of an element divided by what the tolerance allows it: above 1 it fails. A tile shows its worst element. Up close, a cut corner marks those that fail.</source>
        <translation>O erro de um elemento dividido pelo que a tolerância lhe permite: acima de 1, ele é reprovado. Um tile mostra o seu pior elemento. De perto, um canto cortado marca os reprovados.</translation>
    </message>
    <message>
        <source>NaN, ∞</source>
        <translation>NaN, ∞</translation>
    </message>
    <message>
        <source>1 × tolerance</source>
        <translation>1 × tolerância</translation>
    </message>
    <message>
        <source>Colors: exact, within tolerance, beyond tolerance by decades, not a number</source>
        <translation>Cores: exato, dentro da tolerância, além da tolerância por décadas, não é um número</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::MapCanvas</name>
    <message>
        <source>Error map</source>
        <translation>Mapa de erros</translation>
    </message>
    <message>
        <source>Arrows move the selected element, plus and minus zoom, F shows everything, N goes to the next element that fails</source>
        <translation>As setas movem o elemento selecionado, mais e menos alteram o zoom, F mostra tudo, N vai para o próximo elemento reprovado</translation>
    </message>
    <message>
        <source>rows from %1, columns from %2: %3 wrong, worst %4 × tolerance</source>
        <translation>linhas a partir de %1, colunas a partir de %2: %3 errados, pior %4 × tolerância</translation>
    </message>
    <message>
        <source>%1: expected %2, got %3</source>
        <translation>%1: esperado %2, obtido %3</translation>
    </message>
    <message>
        <source>%1: %2 × tolerance</source>
        <translation>%1: %2 × tolerância</translation>
    </message>
    <message>
        <source>%1 and %2 × %3 around: %4 wrong, worst %5 × tolerance</source>
        <translation>%1 e %2 × %3 ao redor: %4 errados, pior %5 × tolerância</translation>
    </message>
    <message>
        <source>, %1 NaN</source>
        <translation>, %1 NaN</translation>
    </message>
    <message>
        <source>, %1 infinite</source>
        <translation>, %1 infinitos</translation>
    </message>
    <message>
        <source>element	expected	actual	absolute	relative	ULP</source>
        <translation>elemento	esperado	obtido	absoluto	relativo	ULP</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::MetricPanel</name>
    <message>
        <source>About the selected metric</source>
        <translation>Sobre a métrica selecionada</translation>
    </message>
    <message>
        <source>Counter or formula</source>
        <translation>Contador ou fórmula</translation>
    </message>
    <message>
        <source>Select a metric</source>
        <translation>Selecione uma métrica</translation>
    </message>
    <message>
        <source>What it means and where it was measured stands here.</source>
        <translation>O que ela significa e onde foi medida aparece aqui.</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>desconhecido</translation>
    </message>
    <message>
        <source>Before: %1, now %2 of it</source>
        <translation>Antes: %1, agora %2 disso</translation>
    </message>
    <message>
        <source>Before: %1</source>
        <translation>Antes: %1</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>estimado</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>medido</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::MetricsView</name>
    <message>
        <source>Bound</source>
        <translation>Limite</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>Latência</translation>
    </message>
    <message>
        <source>Stalls</source>
        <translation>Stalls</translation>
    </message>
    <message>
        <source>Occupancy</source>
        <translation>Ocupação</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Grid</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Memória</translation>
    </message>
    <message>
        <source>Divergence</source>
        <translation>Divergência</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Lançamento</translation>
    </message>
    <message>
        <source>The launch whose metrics are shown</source>
        <translation>O lançamento cujas métricas são mostradas</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>Resumo</translation>
    </message>
    <message>
        <source>What limits the launch, section by section</source>
        <translation>O que limita o lançamento, seção por seção</translation>
    </message>
    <message>
        <source>All metrics</source>
        <translation>Todas as métricas</translation>
    </message>
    <message>
        <source>Every metric with where it comes from</source>
        <translation>Cada métrica e de onde ela vem</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>Linhas</translation>
    </message>
    <message>
        <source>Metrics of source lines</source>
        <translation>Métricas das linhas do código-fonte</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>Filtrar</translation>
    </message>
    <message>
        <source>Filter metrics</source>
        <translation>Filtrar métricas</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copiar</translation>
    </message>
    <message>
        <source>Copy the table, to paste it into a spreadsheet</source>
        <translation>Copia a tabela para colar em uma planilha</translation>
    </message>
    <message>
        <source>Copy the table</source>
        <translation>Copiar a tabela</translation>
    </message>
    <message>
        <source>What limits this launch</source>
        <translation>O que limita este lançamento</translation>
    </message>
    <message>
        <source>What could not be profiled</source>
        <translation>O que não pôde ser perfilado</translation>
    </message>
    <message>
        <source>Speed of light</source>
        <translation>Speed of light</translation>
    </message>
    <message>
        <source>Scheduler</source>
        <translation>Escalonador</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>Instruções</translation>
    </message>
    <message>
        <source>No profile yet</source>
        <translation>Nenhum perfil ainda</translation>
    </message>
    <message>
        <source>Profile the kernel to see what limits it: how near each unit is to its peak, what warps wait for, and which lines take the time.</source>
        <translation>Perfile o kernel para ver o que o limita: quão perto cada unidade está do seu pico, o que os warps esperam e quais linhas consomem o tempo.</translation>
    </message>
    <message>
        <source>This profile does not have it.</source>
        <translation>Este perfil não tem isso.</translation>
    </message>
    <message>
        <source>The simulator does not model it; profile on a GPU to see it.</source>
        <translation>O simulador não modela isso; perfile em uma GPU para ver.</translation>
    </message>
    <message>
        <source>The set of metrics that was asked for leaves it out; profile with the set “full”.</source>
        <translation>O conjunto de métricas pedido não inclui isso; perfile com o conjunto “full”.</translation>
    </message>
    <message>
        <source>The metrics at hand do not say.</source>
        <translation>As métricas disponíveis não dizem.</translation>
    </message>
    <message>
        <source>The kernel faulted while it was profiled: %1</source>
        <translation>O kernel falhou enquanto era perfilado: %1</translation>
    </message>
    <message>
        <source>The simulator executed some of the blocks and scaled what it counted.</source>
        <translation>O simulador executou parte dos blocos e extrapolou o que contou.</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>estimado</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>medido</translation>
    </message>
    <message>
        <source>By the simulator&apos;s model of the GPU, not by a GPU</source>
        <translation>Pelo modelo da GPU no simulador, não por uma GPU</translation>
    </message>
    <message>
        <source>By the hardware counters of the GPU</source>
        <translation>Pelos contadores de hardware da GPU</translation>
    </message>
    <message>
        <source>compared with %1</source>
        <translation>comparado com %1</translation>
    </message>
    <message>
        <source>before</source>
        <translation>antes</translation>
    </message>
    <message>
        <source>no such launch before</source>
        <translation>esse lançamento não existia antes</translation>
    </message>
    <message>
        <source>The profile has no launch.</source>
        <translation>O perfil não tem nenhum lançamento.</translation>
    </message>
    <message>
        <source>Speed of light: %1</source>
        <translation>Speed of light: %1</translation>
    </message>
    <message>
        <source>Memory: %1</source>
        <translation>Memória: %1</translation>
    </message>
    <message>
        <source>Stalls: %1</source>
        <translation>Stalls: %1</translation>
    </message>
    <message>
        <source>Nothing is known per source line. %1</source>
        <translation>Nada se sabe por linha do código-fonte. %1</translation>
    </message>
    <message>
        <source>Metrics by section</source>
        <translation>Métricas por seção</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::OccupancyView</name>
    <message>
        <source>1 block</source>
        <translation>1 bloco</translation>
    </message>
    <message>
        <source>%1 blocks</source>
        <translation>%1 blocos</translation>
    </message>
    <message>
        <source>Occupancy by threads per block</source>
        <translation>Ocupação por threads por bloco</translation>
    </message>
    <message>
        <source>Occupancy by registers per thread</source>
        <translation>Ocupação por registradores por thread</translation>
    </message>
    <message>
        <source>Occupancy by shared memory per block</source>
        <translation>Ocupação por memória compartilhada por bloco</translation>
    </message>
    <message>
        <source>No launch yet</source>
        <translation>Nenhum lançamento ainda</translation>
    </message>
    <message>
        <source>Run or profile the kernel to see how many of its warps an SM holds, and what limits them.</source>
        <translation>Execute ou perfile o kernel para ver quantos dos seus warps um SM comporta e o que os limita.</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Lançamento</translation>
    </message>
    <message>
        <source>Theoretical occupancy</source>
        <translation>Ocupação teórica</translation>
    </message>
    <message>
        <source>What limits it</source>
        <translation>O que a limita</translation>
    </message>
    <message>
        <source>Block limit</source>
        <translation>Limite de blocos</translation>
    </message>
    <message>
        <source>Warps</source>
        <translation>Warps</translation>
    </message>
    <message>
        <source>Registers</source>
        <translation>Registradores</translation>
    </message>
    <message>
        <source>Shared memory</source>
        <translation>Memória compartilhada</translation>
    </message>
    <message>
        <source>Blocks that it allows: %1</source>
        <translation>Blocos que permite: %1</translation>
    </message>
    <message>
        <source>Threads per block</source>
        <translation>Threads por bloco</translation>
    </message>
    <message>
        <source>Registers per thread</source>
        <translation>Registradores por thread</translation>
    </message>
    <message>
        <source>Static shared, bytes</source>
        <translation>Compartilhada estática, bytes</translation>
    </message>
    <message>
        <source>Dynamic shared, bytes</source>
        <translation>Compartilhada dinâmica, bytes</translation>
    </message>
    <message>
        <source>As launched</source>
        <translation>Como no lançamento</translation>
    </message>
    <message>
        <source>Back to the numbers of the launch</source>
        <translation>Voltar aos números do lançamento</translation>
    </message>
    <message>
        <source>%1 of %2 warps; %3 per SM</source>
        <translation>%1 de %2 warps; %3 por SM</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>sem limite</translation>
    </message>
    <message>
        <source>Achieved when it was measured: %1</source>
        <translation>Alcançada na medição: %1</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::RooflineView</name>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>DRAM</source>
        <translation>DRAM</translation>
    </message>
    <message>
        <source>Operations per byte of DRAM traffic</source>
        <translation>Operações por byte de tráfego da DRAM</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>Operations per byte of L2 traffic</source>
        <translation>Operações por byte de tráfego da L2</translation>
    </message>
    <message>
        <source>How much of the roof is reached</source>
        <translation>Quanto do teto é alcançado</translation>
    </message>
    <message>
        <source>No roofline yet</source>
        <translation>Nenhum roofline ainda</translation>
    </message>
    <message>
        <source>Profile the kernel to see how near it is to what the GPU&apos;s memory and arithmetic allow.</source>
        <translation>Perfile o kernel para ver quão perto ele está do que a memória e a aritmética da GPU permitem.</translation>
    </message>
    <message>
        <source>None of the steps was profiled.</source>
        <translation>Nenhum dos passos foi perfilado.</translation>
    </message>
    <message>
        <source>It needs counters, which this profile does not have.</source>
        <translation>São necessários contadores, que este perfil não tem.</translation>
    </message>
    <message>
        <source>The kernel does no floating-point arithmetic, or the profile did not count it.</source>
        <translation>O kernel não faz aritmética de ponto flutuante, ou o perfil não a contou.</translation>
    </message>
    <message>
        <source>The profile did not count the bytes that move through %1.</source>
        <translation>O perfil não contou os bytes que passam pela %1.</translation>
    </message>
    <message>
        <source>No point on the roofline</source>
        <translation>Nenhum ponto no roofline</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>estimado</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>medido</translation>
    </message>
    <message>
        <source>There is no data sheet of the %1, so its ceilings are not drawn.</source>
        <translation>Não há datasheet da %1, então os tetos não são desenhados.</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::StatisticsModel</name>
    <message>
        <source>(no name)</source>
        <translation>(sem nome)</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Nome</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Contagem</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Total</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Média</translation>
    </message>
    <message>
        <source>Name	Count	Total ns	Mean ns	Least ns	Most ns
</source>
        <translation>Nome	Contagem	Total ns	Média ns	Mínimo ns	Máximo ns
</translation>
    </message>
    <message>
        <source>Min</source>
        <translation>Mín.</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>Máx.</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::TimelineCanvas</name>
    <message>
        <source>Timeline</source>
        <translation>Linha do tempo</translation>
    </message>
    <message>
        <source>Lanes</source>
        <translation>Faixas</translation>
    </message>
    <message>
        <source>%1 events on %2 lanes over %3</source>
        <translation>%1 eventos em %2 faixas ao longo de %3</translation>
    </message>
    <message>
        <source>Selected: %1, %2, on %3</source>
        <translation>Selecionado: %1, %2, em %3</translation>
    </message>
    <message>
        <source>(no name)</source>
        <translation>(sem nome)</translation>
    </message>
    <message>
        <source>an instant</source>
        <translation>um instante</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>a partir de %1</translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <translation>%1: %2 %3</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::TimelineOverview</name>
    <message>
        <source>Overview</source>
        <translation>Visão geral</translation>
    </message>
    <message>
        <source>The whole trace; drag to move the part that is shown</source>
        <translation>O trace inteiro; arraste para mover a parte mostrada</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::TimelineView</name>
    <message>
        <source>The trace cannot be opened</source>
        <translation>Não foi possível abrir o trace</translation>
    </message>
    <message>
        <source>Opening was stopped</source>
        <translation>A abertura foi interrompida</translation>
    </message>
    <message>
        <source>Find events by name  ( / )</source>
        <translation>Localizar eventos por nome  ( / )</translation>
    </message>
    <message>
        <source>Find events by name</source>
        <translation>Localizar eventos por nome</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>Expressão regular</translation>
    </message>
    <message>
        <source>Previous match (Shift+N)</source>
        <translation>Ocorrência anterior (Shift+N)</translation>
    </message>
    <message>
        <source>Next match (N)</source>
        <translation>Próxima ocorrência (N)</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Ocorrências</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Enquadrar</translation>
    </message>
    <message>
        <source>Show all, or what is selected (F)</source>
        <translation>Mostra tudo, ou o que está selecionado (F)</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportar…</translation>
    </message>
    <message>
        <source>Write a picture of what is shown, PNG or SVG</source>
        <translation>Grava uma imagem do que é mostrado, PNG ou SVG</translation>
    </message>
    <message>
        <source>Opening the trace</source>
        <translation>Abrindo o trace</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>Abrindo…</translation>
    </message>
    <message>
        <source>Details of the selected event</source>
        <translation>Detalhes do evento selecionado</translation>
    </message>
    <message>
        <source>Statistics by name</source>
        <translation>Estatísticas por nome</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Detalhes</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Estatísticas</translation>
    </message>
    <message>
        <source>No timeline yet</source>
        <translation>Nenhuma linha do tempo ainda</translation>
    </message>
    <message>
        <source>Profile a kernel, or drop a trace here: Chrome or Kineto JSON (also .gz), or an Nsight Systems SQLite export.</source>
        <translation>Perfile um kernel ou solte um trace aqui: JSON do Chrome ou do Kineto (também .gz), ou uma exportação SQLite do Nsight Systems.</translation>
    </message>
    <message>
        <source>
… and %1 more</source>
        <translation>
… e mais %1</translation>
    </message>
    <message>
        <source>not a regular expression: %1</source>
        <translation>não é uma expressão regular: %1</translation>
    </message>
    <message>
        <source>no match</source>
        <translation>nenhuma ocorrência</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 de %2</translation>
    </message>
    <message>
        <source>1 match</source>
        <translation>1 ocorrência</translation>
    </message>
    <message>
        <source>%1 matches</source>
        <translation>%1 ocorrências</translation>
    </message>
    <message>
        <source>Details: select an event</source>
        <translation>Detalhes: selecione um evento</translation>
    </message>
    <message>
        <source>Selection of %1</source>
        <translation>Seleção de %1</translation>
    </message>
    <message>
        <source>All of %1</source>
        <translation>Total de %1</translation>
    </message>
    <message>
        <source>%1: no events</source>
        <translation>%1: nenhum evento</translation>
    </message>
    <message>
        <source>%1: %2 events; busiest: %3, %4 %</source>
        <translation>%1: %2 eventos; faixa mais ocupada: %3, %4 %</translation>
    </message>
    <message>
        <source>Export the timeline</source>
        <translation>Exportar a linha do tempo</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png)</source>
        <translation>Imagens (*.svg *.png)</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Linha do tempo</translation>
    </message>
    <message>
        <source>The trace has no events</source>
        <translation>O trace não tem eventos</translation>
    </message>
    <message>
        <source>It could be read, and there is nothing in it that could be shown on a time line.</source>
        <translation>Ele pôde ser lido, e nada nele pode ser mostrado em uma linha do tempo.</translation>
    </message>
    <message>
        <source>The trace is open, but has no events</source>
        <translation>O trace está aberto, mas não tem eventos</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::TolerancePanel</name>
    <message>
        <source>Absolute tolerance</source>
        <translation>Tolerância absoluta</translation>
    </message>
    <message>
        <source>Relative tolerance</source>
        <translation>Tolerância relativa</translation>
    </message>
    <message>
        <source>Back to the tolerance of the task</source>
        <translation>Voltar à tolerância da tarefa</translation>
    </message>
    <message>
        <source>What would pass</source>
        <translation>O que passaria</translation>
    </message>
    <message>
        <source>Integers must be equal; no tolerance applies.</source>
        <translation>Inteiros precisam ser iguais; nenhuma tolerância se aplica.</translation>
    </message>
    <message>
        <source>Task default</source>
        <translation>Padrão da tarefa</translation>
    </message>
</context>
<context>
    <name>kw::profiler_views::VerdictView</name>
    <message>
        <source>Verdict</source>
        <translation>Veredito</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Progresso</translation>
    </message>
    <message>
        <source>Not run yet</source>
        <translation>Ainda não executado</translation>
    </message>
    <message>
        <source>Ctrl+R compiles, checks and times this kernel.</source>
        <translation>Ctrl+R compila, verifica e mede o tempo deste kernel.</translation>
    </message>
    <message>
        <source>before your edit</source>
        <translation>antes da sua edição</translation>
    </message>
    <message>
        <source>Go to %1:%2</source>
        <translation>Ir para %1:%2</translation>
    </message>
    <message>
        <source>Against the baselines</source>
        <translation>Em relação às baselines</translation>
    </message>
    <message>
        <source>Reward %1</source>
        <translation>Recompensa %1</translation>
    </message>
    <message>
        <source>Checks</source>
        <translation>Verificações</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>Kernels</translation>
    </message>
    <message>
        <source>Running…</source>
        <translation>Executando…</translation>
    </message>
    <message>
        <source>Shift+F5 stops it.</source>
        <translation>Shift+F5 interrompe.</translation>
    </message>
    <message>
        <source>Audit</source>
        <translation>Auditoria</translation>
    </message>
</context>
<context>
    <name>kw::review::AgentFold</name>
    <message>
        <source>Open or close: %1</source>
        <translation>Abrir ou fechar: %1</translation>
    </message>
</context>
<context>
    <name>kw::review::AgentView</name>
    <message>
        <source>Diagnostics of the step</source>
        <translation>Diagnósticos do passo</translation>
    </message>
    <message>
        <source>Thinks</source>
        <translation>Raciocínio</translation>
    </message>
    <message>
        <source>Says</source>
        <translation>Diz</translation>
    </message>
    <message>
        <source>Writes</source>
        <translation>Escreve</translation>
    </message>
    <message>
        <source>No agent has been here</source>
        <translation>Nenhum agente passou por aqui</translation>
    </message>
    <message>
        <source>A driver changes the kernel, runs it and learns from the result, step after step. Choose one above and press Start; tuner, advisor and lesson need no model and no network.</source>
        <translation>Um condutor muda o kernel, executa-o e aprende com o resultado, passo a passo. Escolha um acima e pressione Iniciar; ajustador, conselheiro e lição não precisam de modelo nem de rede.</translation>
    </message>
    <message>
        <source>Step %1 · %2</source>
        <translation>Passo %1 · %2</translation>
    </message>
    <message>
        <source> · %1 s</source>
        <translation> · %1 s</translation>
    </message>
    <message>
        <source> · from step %1</source>
        <translation> · do passo %1</translation>
    </message>
    <message>
        <source>✓ right</source>
        <translation>✓ certo</translation>
    </message>
    <message>
        <source>✗ wrong</source>
        <translation>✗ errado</translation>
    </message>
    <message>
        <source>reward %1</source>
        <translation>recompensa %1</translation>
    </message>
    <message>
        <source>%1 estimated</source>
        <translation>%1 estimado</translation>
    </message>
    <message numerus="yes">
        <source>&lt;div&gt;and %n more&lt;/div&gt;</source>
        <translation>
            <numerusform>&lt;div&gt;e mais %n&lt;/div&gt;</numerusform>
            <numerusform>&lt;div&gt;e mais %n&lt;/div&gt;</numerusform>
        </translation>
    </message>
    <message>
        <source>✓ %1</source>
        <translation>✓ %1</translation>
    </message>
    <message>
        <source>✗ %1</source>
        <translation>✗ %1</translation>
    </message>
    <message>
        <source>%1
── result ──
%2</source>
        <translation>%1
── resultado ──
%2</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>mais %n</numerusform>
            <numerusform>mais %n</numerusform>
        </translation>
    </message>
    <message>
        <source>How the step came to be</source>
        <translation>Como o passo surgiu</translation>
    </message>
</context>
<context>
    <name>kw::review::BranchTable</name>
    <message>
        <source>Steps since step %1</source>
        <translation>Passos desde o passo %1</translation>
    </message>
    <message>
        <source>Two steps beside each other</source>
        <translation>Dois passos lado a lado</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Passo %1</translation>
    </message>
    <message>
        <source>%1 ✓</source>
        <translation>%1 ✓</translation>
    </message>
    <message>
        <source>%1 estimated</source>
        <translation>%1 estimado</translation>
    </message>
    <message>
        <source>%1 measured</source>
        <translation>%1 medido</translation>
    </message>
</context>
<context>
    <name>kw::review::ExportDialog</name>
    <message>
        <source>Rewards, one row a step</source>
        <translation>Recompensas, uma linha por passo</translation>
    </message>
    <message>
        <source>Steps with sources and evaluations</source>
        <translation>Passos com fontes e avaliações</translation>
    </message>
    <message>
        <source>Agent trajectory, ATIF 1.7</source>
        <translation>Trajetória do agente, ATIF 1.7</translation>
    </message>
    <message>
        <source>Conversations for SFT and RFT</source>
        <translation>Conversas para SFT e RFT</translation>
    </message>
    <message>
        <source>Rows for KTO</source>
        <translation>Linhas para KTO</translation>
    </message>
    <message>
        <source>Pairs for DPO</source>
        <translation>Pares para DPO</translation>
    </message>
    <message>
        <source>Timeline for Chrome and Perfetto</source>
        <translation>Linha do tempo para Chrome e Perfetto</translation>
    </message>
    <message>
        <source>Report that stands alone and prints</source>
        <translation>Relatório autônomo e imprimível</translation>
    </message>
    <message>
        <source>Export the session</source>
        <translation>Exportar a sessão</translation>
    </message>
    <message>
        <source>The beginning of what is written</source>
        <translation>O começo do que será escrito</translation>
    </message>
    <message>
        <source>Nothing is written in this form.</source>
        <translation>Nada é escrito nesta forma.</translation>
    </message>
    <message>
        <source>State of the export</source>
        <translation>Estado da exportação</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Escrevendo</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Salvar…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fechar</translation>
    </message>
    <message>
        <source>any</source>
        <translation>qualquer</translation>
    </message>
    <message>
        <source>that began from the same step</source>
        <translation>que partiram do mesmo passo</translation>
    </message>
    <message>
        <source>of the whole session</source>
        <translation>da sessão inteira</translation>
    </message>
    <message>
        <source>Compare steps</source>
        <translation>Comparar passos</translation>
    </message>
    <message>
        <source>Good from this reward on</source>
        <translation>Boa a partir desta recompensa</translation>
    </message>
    <message>
        <source>Reaching at least this reward</source>
        <translation>Que chegam ao menos a esta recompensa</translation>
    </message>
    <message>
        <source>No step of this session fits the form and the choices.</source>
        <translation>Nenhum passo desta sessão se encaixa na forma e nas escolhas.</translation>
    </message>
    <message>
        <source>This is all of it.</source>
        <translation>Isto é tudo.</translation>
    </message>
    <message>
        <source>This is the beginning.</source>
        <translation>Este é o começo.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Writing %1…</source>
        <translation>Escrevendo %1…</translation>
    </message>
    <message>
        <source>%1 was written, %2.</source>
        <translation>%1 foi escrito, %2.</translation>
    </message>
</context>
<context>
    <name>kw::review::LessonView</name>
    <message>
        <source>Open a session with steps to go through.</source>
        <translation>Abra uma sessão com passos a percorrer.</translation>
    </message>
    <message>
        <source>Predict, then see</source>
        <translation>Preveja, depois veja</translation>
    </message>
    <message>
        <source>Start the lesson</source>
        <translation>Começar a lição</translation>
    </message>
    <message>
        <source>Write questions before this step…</source>
        <translation>Escrever perguntas antes deste passo…</translation>
    </message>
    <message>
        <source>What the next step changes</source>
        <translation>O que o próximo passo muda</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>Perguntas</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Pontuação</translation>
    </message>
    <message>
        <source>End the lesson</source>
        <translation>Encerrar a lição</translation>
    </message>
    <message>
        <source>What is asked, then the choices, one a line: “* ” before the right one, “- ” before the others; after an empty line what explains it. “---” alone on a line begins another question.</source>
        <translation>O que se pergunta, depois as escolhas, uma por linha: “* ” antes da certa, “- ” antes das outras; após uma linha vazia, o que a explica. “---” sozinho numa linha começa outra pergunta.</translation>
    </message>
    <message>
        <source>Questions before this step</source>
        <translation>Perguntas antes deste passo</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Cancelar</translation>
    </message>
    <message>
        <source>Keep in the session</source>
        <translation>Guardar na sessão</translation>
    </message>
    <message>
        <source>This session has questions of its own. Each step is shown once they are answered.</source>
        <translation>Esta sessão tem perguntas próprias. Cada passo é mostrado depois de respondidas.</translation>
    </message>
    <message>
        <source>Each step is shown once you have said how fast it will be and what limits it.</source>
        <translation>Cada passo é mostrado depois que você disser quão rápido será e o que o limita.</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>Passo %1 de %2</translation>
    </message>
    <message>
        <source>Nothing is known of this step that could be asked. What do you expect of it?</source>
        <translation>Nada se sabe deste passo que se possa perguntar. O que você espera dele?</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>Próximo passo</translation>
    </message>
    <message>
        <source>Reveal</source>
        <translation>Revelar</translation>
    </message>
    <message>
        <source>Show it without an answer</source>
        <translation>Mostrar sem resposta</translation>
    </message>
    <message>
        <source>%1 of %2 right</source>
        <translation>%1 de %2 certas</translation>
    </message>
    <message>
        <source>It is: %1.</source>
        <translation>É: %1.</translation>
    </message>
    <message>
        <source>✓ Right: %1.</source>
        <translation>✓ Certo: %1.</translation>
    </message>
    <message>
        <source>✗ No, it is: %1.</source>
        <translation>✗ Não, é: %1.</translation>
    </message>
    <message>
        <source>That was the last step.</source>
        <translation>Esse foi o último passo.</translation>
    </message>
    <message>
        <source>That was the last step. %1 of %2 answers were right.</source>
        <translation>Esse foi o último passo. %1 de %2 respostas estavam certas.</translation>
    </message>
    <message>
        <source>Questions before step %1</source>
        <translation>Perguntas antes do passo %1</translation>
    </message>
</context>
<context>
    <name>kw::review::StepsModel</name>
    <message>
        <source>best</source>
        <translation>melhor</translation>
    </message>
    <message>
        <source>not evaluated</source>
        <translation>não avaliado</translation>
    </message>
    <message>
        <source>correct</source>
        <translation>correto</translation>
    </message>
    <message>
        <source>wrong</source>
        <translation>errado</translation>
    </message>
    <message>
        <source>%1 measured</source>
        <translation>%1 medido</translation>
    </message>
    <message>
        <source>%1 · +%2 −%3 lines</source>
        <translation>%1 · +%2 −%3 linhas</translation>
    </message>
    <message>
        <source>#</source>
        <translation>#</translation>
    </message>
    <message>
        <source>Reward</source>
        <translation>Recompensa</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>Speed-up</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Mudança</translation>
    </message>
    <message>
        <source>%1 estimated</source>
        <translation>%1 estimado</translation>
    </message>
    <message>
        <source>from step %1</source>
        <translation>a partir da etapa %1</translation>
    </message>
    <message>
        <source>%1 tokens in, %2 out</source>
        <translation>%1 tokens de entrada, %2 de saída</translation>
    </message>
    <message>
        <source>Reward, by the rule of the session</source>
        <translation>Recompensa, pela regra da sessão</translation>
    </message>
    <message>
        <source>How many times as fast as the strongest baseline</source>
        <translation>Quantas vezes mais rápida que a referência mais forte</translation>
    </message>
    <message>
        <source>Tokens that the model read and wrote</source>
        <translation>Tokens que o modelo leu e escreveu</translation>
    </message>
    <message>
        <source>How long making and evaluating the step took</source>
        <translation>Quanto levou fazer e avaliar a etapa</translation>
    </message>
    <message>
        <source>Correctness</source>
        <translation>Correção</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>Duração</translation>
    </message>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n achado</numerusform>
            <numerusform>%n achados</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, refused</source>
        <translation>%1, recusado</translation>
    </message>
    <message>
        <source>%1, suspicious</source>
        <translation>%1, suspeito</translation>
    </message>
    <message>
        <source>audit: %1</source>
        <translation>auditoria: %1</translation>
    </message>
    <message>
        <source>● correct, ✗ wrong, · not evaluated, ★ best, ⚠ how much an audit found, red where it refuses the step</source>
        <translation>● correto, ✗ errado, · não avaliado, ★ melhor, ⚠ quanto a auditoria encontrou, vermelho onde ela recusa o passo</translation>
    </message>
</context>
<context>
    <name>kw::review::StepsView</name>
    <message>
        <source>Steps</source>
        <translation>Passos</translation>
    </message>
    <message>
        <source>No steps yet</source>
        <translation>Nenhum passo ainda</translation>
    </message>
    <message>
        <source>Each run becomes a step: the text it was made with and everything found out about it. Ctrl+R makes the first.</source>
        <translation>Cada execução vira um passo: o texto com que foi feita e tudo o que se descobriu sobre ele. Ctrl+R faz o primeiro.</translation>
    </message>
    <message>
        <source>Filter: words, wrong, best, suspicious…</source>
        <translation>Filtro: palavras, errada, melhor, suspeita…</translation>
    </message>
    <message>
        <source>Filter steps</source>
        <translation>Filtrar etapas</translation>
    </message>
    <message>
        <source>Branches</source>
        <translation>Ramos</translation>
    </message>
    <message>
        <source>Steps that were made from an earlier one below it, instead of all in one list</source>
        <translation>Etapas feitas a partir de uma anterior abaixo dela, em vez de todas em uma lista</translation>
    </message>
    <message>
        <source>Show branches</source>
        <translation>Mostrar ramos</translation>
    </message>
</context>
<context>
    <name>kw::review::TrajectoryView</name>
    <message>
        <source>Reward trajectory</source>
        <translation>Trajetória de recompensa</translation>
    </message>
    <message>
        <source>No steps yet</source>
        <translation>Nenhum passo ainda</translation>
    </message>
    <message>
        <source>Every run is a step. How reward and speed-up go from one to the next is shown here.</source>
        <translation>Cada execução é um passo. Aqui se vê como recompensa e aceleração vão de um ao outro.</translation>
    </message>
    <message>
        <source>Speed-up</source>
        <translation>Aceleração</translation>
    </message>
    <message>
        <source>How much faster than a baseline, with its confidence interval</source>
        <translation>Quão mais rápido que uma linha de base, com seu intervalo de confiança</translation>
    </message>
    <message>
        <source>Reward</source>
        <translation>Recompensa</translation>
    </message>
    <message>
        <source>The reward of each step</source>
        <translation>A recompensa de cada passo</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Median time of each step</source>
        <translation>Tempo mediano de cada passo</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Tokens that a model has read and written, added up</source>
        <translation>Tokens que um modelo leu e escreveu, somados</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Custo</translation>
    </message>
    <message>
        <source>What the steps have cost, added up</source>
        <translation>O que os passos custaram, somado</translation>
    </message>
    <message>
        <source>What if…</source>
        <translation>E se…</translation>
    </message>
    <message>
        <source>Scores the steps by another margin, baseline, tolerance or rule. The session stays as it is.</source>
        <translation>Pontua os passos por outra margem, linha de base, tolerância ou regra. A sessão fica como está.</translation>
    </message>
    <message>
        <source>Score by another rule</source>
        <translation>Pontuar por outra regra</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportar…</translation>
    </message>
    <message>
        <source>Writes the session in a form that others read</source>
        <translation>Escreve a sessão numa forma que outros leem</translation>
    </message>
    <message>
        <source>Export the session</source>
        <translation>Exportar a sessão</translation>
    </message>
    <message>
        <source>Margin</source>
        <translation>Margem</translation>
    </message>
    <message>
        <source>By how much a baseline has to be beaten</source>
        <translation>Por quanto uma linha de base deve ser superada</translation>
    </message>
    <message>
        <source>all</source>
        <translation>todas</translation>
    </message>
    <message>
        <source>Baselines</source>
        <translation>Linhas de base</translation>
    </message>
    <message>
        <source>Which baselines count</source>
        <translation>Quais linhas de base contam</translation>
    </message>
    <message>
        <source>the task&apos;s</source>
        <translation>a da tarefa</translation>
    </message>
    <message>
        <source>Absolute tolerance, empty for the task&apos;s</source>
        <translation>Tolerância absoluta, vazio para a da tarefa</translation>
    </message>
    <message>
        <source>Relative tolerance, empty for the task&apos;s</source>
        <translation>Tolerância relativa, vazio para a da tarefa</translation>
    </message>
    <message>
        <source>wrong</source>
        <translation>errado</translation>
    </message>
    <message>
        <source>Reward of a step that is wrong</source>
        <translation>Recompensa de um passo errado</translation>
    </message>
    <message>
        <source>right</source>
        <translation>certo</translation>
    </message>
    <message>
        <source>Reward of a step that is right and not faster</source>
        <translation>Recompensa de um passo certo e não mais rápido</translation>
    </message>
    <message>
        <source>beats first</source>
        <translation>supera a primeira</translation>
    </message>
    <message>
        <source>Reward of a step that beats the first baseline</source>
        <translation>Recompensa de um passo que supera a primeira linha de base</translation>
    </message>
    <message>
        <source>beats all</source>
        <translation>supera todas</translation>
    </message>
    <message>
        <source>Reward of a step that beats every baseline</source>
        <translation>Recompensa de um passo que supera todas as linhas de base</translation>
    </message>
    <message>
        <source>What the rule changes</source>
        <translation>O que a regra muda</translation>
    </message>
    <message>
        <source>No reward changes.</source>
        <translation>Nenhuma recompensa muda.</translation>
    </message>
    <message numerus="yes">
        <source>%n reward(s) change.</source>
        <translation>
            <numerusform>%n recompensa muda.</numerusform>
            <numerusform>%n recompensas mudam.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n step(s) cannot be told of: the session keeps only their largest errors.</source>
        <translation>
            <numerusform>De %n passo não se pode dizer: a sessão guarda só seus maiores erros.</numerusform>
            <numerusform>De %n passos não se pode dizer: a sessão guarda só seus maiores erros.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n passo</numerusform>
            <numerusform>%n passos</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of them wrong</source>
        <translation>
            <numerusform>%n deles errado</numerusform>
            <numerusform>%n deles errados</numerusform>
        </translation>
    </message>
    <message>
        <source>the best is %1</source>
        <translation>o melhor é %1</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Passo</translation>
    </message>
    <message>
        <source>best so far</source>
        <translation>melhor até agora</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>passo %1</translation>
    </message>
    <message>
        <source>reward %1</source>
        <translation>recompensa %1</translation>
    </message>
    <message>
        <source>was %1</source>
        <translation>era %1</translation>
    </message>
</context>
<context>
    <name>kw::widgets::CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation>Paleta de comandos</translation>
    </message>
    <message>
        <source>Type what you want to do</source>
        <translation>Digite o que você quer fazer</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Comando</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Comandos</translation>
    </message>
</context>
<context>
    <name>kw::widgets::Plot</name>
    <message>
        <source> (%1 to %2)</source>
        <translation> (de %1 a %2)</translation>
    </message>
    <message>
        <source>%1: %2 points</source>
        <translation>%1: %2 pontos</translation>
    </message>
    <message>
        <source>Show everything</source>
        <translation>Mostrar tudo</translation>
    </message>
    <message>
        <source>Export picture…</source>
        <translation>Exportar imagem…</translation>
    </message>
    <message>
        <source>Export the plot</source>
        <translation>Exportar o gráfico</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.png *.pdf)</source>
        <translation>Imagens (*.svg *.png *.pdf)</translation>
    </message>
    <message>
        <source>Cannot write %1: %2.</source>
        <translation>Não foi possível gravar %1: %2.</translation>
    </message>
    <message>
        <source>the folder %1 does not exist</source>
        <translation>a pasta %1 não existe</translation>
    </message>
    <message>
        <source>pictures are .png, .svg or .pdf</source>
        <translation>as imagens são .png, .svg ou .pdf</translation>
    </message>
    <message>
        <source>the file cannot be written</source>
        <translation>não é possível gravar o arquivo</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>A workbench for CUDA kernels.</source>
        <translation>Uma bancada para kernels CUDA.</translation>
    </message>
    <message>
        <source>dark, light or system (default: as set).</source>
        <translation>dark, light ou system (padrão: conforme configurado).</translation>
    </message>
    <message>
        <source>edit, profile or review.</source>
        <translation>edit, profile ou review.</translation>
    </message>
    <message>
        <source>Run the task&apos;s candidate at once.</source>
        <translation>Executa imediatamente o candidato da tarefa.</translation>
    </message>
    <message>
        <source>As --run, and profile it.</source>
        <translation>Como --run, e o perfila.</translation>
    </message>
    <message>
        <source>Bring a pane to the front, such as metrics.</source>
        <translation>Traz um painel para a frente, como metrics.</translation>
    </message>
    <message>
        <source>Write a picture of the window to FILE once the run has ended (or at once without --run), and quit.</source>
        <translation>Grava uma imagem da janela em FILE quando a execução termina (ou imediatamente, sem --run) e sai.</translation>
    </message>
    <message>
        <source>Print what starting took, once the window can be used, and quit.</source>
        <translation>Mostra quanto a inicialização levou, assim que a janela pode ser usada, e sai.</translation>
    </message>
    <message>
        <source>Window size, as 1280x800.</source>
        <translation>Tamanho da janela, como 1280x800.</translation>
    </message>
    <message>
        <source>Task folder, session or trace file to open.</source>
        <translation>Pasta de tarefa, sessão ou arquivo de trace a abrir.</translation>
    </message>
</context>
<context>
    <name>stages</name>
    <message>
        <source>Input</source>
        <translation>Entrada</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>Tarefa</translation>
    </message>
    <message>
        <source>Compilation</source>
        <translation>Compilação</translation>
    </message>
    <message>
        <source>Audit</source>
        <translation>Auditoria</translation>
    </message>
    <message>
        <source>Verification</source>
        <translation>Verificação</translation>
    </message>
    <message>
        <source>Timing</source>
        <translation>Medição</translation>
    </message>
    <message>
        <source>Profiling</source>
        <translation>Perfilagem</translation>
    </message>
    <message>
        <source>Reward</source>
        <translation>Recompensa</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Dispositivo</translation>
    </message>
    <message>
        <source>Worker</source>
        <translation>Worker</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Este computador</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>task_words</name>
    <message>
        <source>An input; a candidate may not write it.</source>
        <translation>Uma entrada; um candidato não pode escrever nela.</translation>
    </message>
    <message>
        <source>An output; it is poisoned before each run.</source>
        <translation>Uma saída; é envenenada antes de cada execução.</translation>
    </message>
    <message>
        <source>Read and written.</source>
        <translation>Lido e escrito.</translation>
    </message>
    <message>
        <source>A size of the task, in its first case.</source>
        <translation>Um tamanho da tarefa, no seu primeiro caso.</translation>
    </message>
    <message>
        <source>A value that kernels take by value.</source>
        <translation>Um valor que os kernels recebem por valor.</translation>
    </message>
    <message>
        <source>A tunable of this candidate; the first value is the default.</source>
        <translation>Um parâmetro ajustável deste candidato; o primeiro valor é o padrão.</translation>
    </message>
    <message>
        <source>A scratch buffer of this candidate.</source>
        <translation>Um buffer de rascunho deste candidato.</translation>
    </message>
</context>
</TS>
