import { useQueryClient } from "@tanstack/react-query"
import type { ToolAnswer } from "@tapeline/client"
import { Play } from "lucide-react"
import { useEffect, useMemo, useRef, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { useCatalogue } from "../../requests/catalogue.ts"
import { usageKey } from "../../requests/sharedRequests.ts"
import { useAction } from "../../requests/useRequest.ts"
import { type ArgumentIssues, toArgumentIssues } from "../../requests/useWrite.ts"
import { Code } from "../../widgets/Code.tsx"
import { BackLink, Badge, Link, PageHeader, Panel } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, ProblemState, Skeleton } from "../../widgets/states.tsx"
import { TabPanels } from "../../widgets/TabPanels.tsx"
import { areaNames } from "../tools/areaNames.ts"
import type { Tool } from "../tools/findTools.ts"
import { type CallExample, curlExample, pythonExample, typescriptExample } from "./codeExamples.ts"
import { ResultView } from "./ResultView.tsx"
import { type FieldInputs, initialInputs, parseArguments, toFields } from "./schema.ts"
import { toolTexts } from "./texts.ts"
import { ToolForm } from "./ToolForm.tsx"
import styles from "./ToolPage.module.css"

/** Groups the issues of arguments by form field, including the issues of nested values. */
const groupByField = (issues: ArgumentIssues): ArgumentIssues =>
  Object.fromEntries(Object.entries(issues).map(([path, message]) => [path.split(".")[0]!, message]))

const CodeExamples = ({ call }: { readonly call: CallExample }) => {
  const texts = useTexts(toolTexts)
  return (
    <Panel title={texts.program}>
      <TabPanels
        label={texts.program}
        panels={[
          { name: "curl", title: "curl", content: <Code label="curl" text={curlExample(call)} /> },
          {
            name: "typescript",
            title: "TypeScript",
            content: <Code label="TypeScript" text={typescriptExample(call)} />
          },
          { name: "python", title: "Python", content: <Code label="Python" text={pythonExample(call)} /> }
        ]}
      />
    </Panel>
  )
}

/**
 * The scope of tools that write data. The page sends an idempotency key with each call of a writing tool, so that a
 * retry does not repeat the change.
 */
const writeScope = "write:personal"

const useToolRun = ({ name, parameters, scope }: Tool) => {
  const fields = useMemo(() => toFields(parameters), [parameters])
  const [inputs, setInputs] = useState<FieldInputs>(() => initialInputs(fields))
  const [areFaultsShown, setAreFaultsShown] = useState(false)
  const [issues, setIssues] = useState<ArgumentIssues>({})
  const queryClient = useQueryClient()
  const { idempotencyKeys } = useAccess()
  const action = useAction<Readonly<Record<string, unknown>>, ToolAnswer>(async (client, args) => {
    try {
      if (scope !== writeScope) return await client.call(name, args)
      const answer = await client.call(name, args, { idempotency_key: idempotencyKeys.keyFor(name, args) })
      idempotencyKeys.markSucceeded(name, args)
      return answer
    } catch (error) {
      setIssues(groupByField(toArgumentIssues(error)))
      throw error
    } finally {
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === usageKey[0] })
    }
  })
  const { args, faults, isValid } = parseArguments(fields, inputs)
  const shownFaults: Readonly<Record<string, string>> = { ...issues, ...(areFaultsShown ? faults : {}) }
  return {
    fields,
    inputs,
    args,
    faults: shownFaults,
    action,
    change: (field: string, value: string) => {
      setInputs({ ...inputs, [field]: value })
      setIssues({})
    },
    run: () => {
      setAreFaultsShown(true)
      if (isValid) action.run(args)
    }
  }
}

const RunOutcome = ({ action }: { readonly action: ReturnType<typeof useToolRun>["action"] }) => {
  const texts = useTexts(toolTexts)
  const { isRunning, result, problem } = action
  if (result !== undefined) return <ResultView answer={result} />
  return (
    <Panel title={texts.result}>
      {isRunning
        ? <Skeleton lines={6} />
        : problem !== undefined
        ? <ProblemState problem={problem} />
        : <EmptyState icon={Play} title={texts.noResult}>{texts.noResultDetail}</EmptyState>}
    </Panel>
  )
}

const ToolRunner = ({ tool }: { readonly tool: Tool }) => {
  const { args, change, faults, fields, run, action, inputs } = useToolRun(tool)
  const result = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a phone, the result is below the form and can be invisible, so the page scrolls to the result.
    if (action.isRunning) result.current?.scrollIntoView({ block: "nearest", behavior: "smooth" })
  }, [action.isRunning])
  return (
    <div className={styles["columns"]}>
      <div className={styles["form-area"]}>
        <ToolForm
          credits={tool.credits}
          faults={faults}
          fields={fields}
          isRunning={action.isRunning}
          onChange={change}
          onRun={run}
          inputs={inputs}
        />
      </div>
      <div className={styles["program-area"]}>
        <CodeExamples call={{ tool: tool.name, args, url: location.origin }} />
      </div>
      <div ref={result} className={styles["result-area"]} aria-live="polite" aria-busy={action.isRunning}>
        <RunOutcome action={action} />
      </div>
    </div>
  )
}

const UnknownTool = ({ name }: { readonly name: string }) => {
  const texts = useTexts(toolTexts)
  return (
    <EmptyState isPage title={texts.unknown(name)} action={<Link href="/tools">{texts.all}</Link>}>
      {texts.unknownDetail}
    </EmptyState>
  )
}

const ToolHeader = ({ tool: { area, credits, name, scope, summary } }: { readonly tool: Tool }) => {
  const texts = useTexts(toolTexts)
  const { language } = useLanguage()
  return (
    <PageHeader
      title={<code className={styles["name"]}>{name}</code>}
      aside={
        <>
          <Badge>{areaNames[area][language]}</Badge>
          {scope !== undefined && (
            <Badge>
              <code>{scope}</code>
            </Badge>
          )}
          <Badge variant="tape">{texts.credits(credits)}</Badge>
        </>
      }
    >
      {/* The attribute `lang` tells screen readers that the catalogue exists only in English. */}
      <span lang="en">{summary}</span>
    </PageHeader>
  )
}

export const ToolPage = ({ params: { name } }: { readonly params: { readonly name: string } }) => {
  const texts = useTexts(toolTexts)
  const catalogue = useCatalogue()
  return (
    <>
      {catalogue.state !== "loaded" && <PageHeader title={<code className={styles["name"]}>{name}</code>} />}
      <RequestView request={catalogue}>
        {({ tools }) => {
          const tool = tools.find((one) => one.name === name)
          if (tool === undefined) return <UnknownTool name={name} />
          return (
            <>
              <BackLink href="/tools">{texts.all}</BackLink>
              <ToolHeader tool={tool} />
              <ToolRunner key={tool.name} tool={tool} />
            </>
          )
        }}
      </RequestView>
    </>
  )
}
