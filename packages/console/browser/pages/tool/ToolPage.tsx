import { useQueryClient } from "@tanstack/react-query"
import type { ToolAnswer } from "@tapeline/client"
import { ArrowLeft, Play } from "lucide-react"
import { useEffect, useMemo, useRef, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { usageKey } from "../../asking/usageKey.ts"
import { useDo } from "../../asking/useAsk.ts"
import { useCatalogue } from "../../asking/useCatalogue.ts"
import { type Refused, refusedIn } from "../../asking/useWrite.ts"
import { Code } from "../../widgets/Code.tsx"
import { Badge, Link, PageHead, Panel } from "../../widgets/parts.tsx"
import { Empty, Skeleton, TroubleState } from "../../widgets/states.tsx"
import { TabPanels } from "../../widgets/TabPanels.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useLanguage } from "../../words/Languages.tsx"
import { useWords } from "../../words/words.ts"
import { areaNames } from "../tools/areas.ts"
import type { Tool } from "../tools/find.ts"
import { type Call, curlOf, pythonOf, typescriptOf } from "./calls.ts"
import { ResultView } from "./ResultView.tsx"
import { argumentsOf, begin, fieldsOf, type Typed } from "./schema.ts"
import { ToolForm } from "./ToolForm.tsx"
import styles from "./ToolPage.module.css"
import { toolWords } from "./words.ts"

/** The issues by field. The issues of a nested argument are shown at its one field. */
const byField = (refused: Refused): Refused =>
  Object.fromEntries(Object.entries(refused).map(([path, message]) => [path.split(".")[0]!, message]))

const Programs = ({ call }: { readonly call: Call }) => {
  const says = useWords(toolWords)
  return (
    <Panel title={says.program}>
      <TabPanels
        label={says.program}
        panels={[
          { name: "curl", title: "curl", content: <Code label="curl" text={curlOf(call)} /> },
          { name: "typescript", title: "TypeScript", content: <Code label="TypeScript" text={typescriptOf(call)} /> },
          { name: "python", title: "Python", content: <Code label="Python" text={pythonOf(call)} /> }
        ]}
      />
    </Panel>
  )
}

/** The scope of tools that write. If such a call is repeated after a lost response, it runs once. */
const writing = "write:personal"

/** The state of the form: the fields, their faults, and the result of the last call. */
const useRun = ({ name, parameters, scope }: Tool) => {
  const fields = useMemo(() => fieldsOf(parameters), [parameters])
  const [typed, setTyped] = useState<Typed>(() => begin(fields))
  const [isShown, setIsShown] = useState(false)
  const [refused, setRefused] = useState<Refused>({})
  const kept = useQueryClient()
  const { once } = useAccess()
  const running = useDo<Readonly<Record<string, unknown>>, ToolAnswer>(async (client, args) => {
    try {
      if (scope !== writing) return await client.call(name, args)
      const answer = await client.call(name, args, { idempotency_key: once.keyOf(name, args) })
      once.done(name, args)
      return answer
    } catch (error) {
      setRefused(byField(refusedIn(error)))
      throw error
    } finally {
      void kept.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === usageKey[0] })
    }
  })
  const { args, faults, isSound } = argumentsOf(fields, typed)
  const told: Readonly<Record<string, string>> = { ...refused, ...(isShown ? faults : {}) }
  return {
    fields,
    typed,
    args,
    faults: told,
    running,
    change: (field: string, value: string) => {
      setTyped({ ...typed, [field]: value })
      setRefused({})
    },
    run: () => {
      setIsShown(true)
      if (isSound) running.run(args)
    }
  }
}

const Outcome = ({ running }: { readonly running: ReturnType<typeof useRun>["running"] }) => {
  const says = useWords(toolWords)
  const { isRunning, result, trouble } = running
  if (result !== undefined) return <ResultView answer={result} />
  return (
    <Panel title={says.result}>
      {isRunning
        ? <Skeleton lines={6} />
        : trouble !== undefined
        ? <TroubleState trouble={trouble} />
        : <Empty icon={Play} title={says.noResult}>{says.noResultMore}</Empty>}
    </Panel>
  )
}

const Runner = ({ tool }: { readonly tool: Tool }) => {
  const { args, change, faults, fields, run, running, typed } = useRun(tool)
  const result = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Scrolls to the result if it is out of sight, as below the form on a phone.
    if (running.isRunning) result.current?.scrollIntoView({ block: "nearest", behavior: "smooth" })
  }, [running.isRunning])
  return (
    <div className={styles["columns"]}>
      <div className={styles["form-area"]}>
        <ToolForm
          credits={tool.credits}
          faults={faults}
          fields={fields}
          isRunning={running.isRunning}
          onChange={change}
          onRun={run}
          typed={typed}
        />
      </div>
      <div className={styles["program-area"]}>
        <Programs call={{ tool: tool.name, args, url: location.origin }} />
      </div>
      <div ref={result} className={styles["result-area"]} aria-live="polite" aria-busy={running.isRunning}>
        <Outcome running={running} />
      </div>
    </div>
  )
}

const Unknown = ({ name }: { readonly name: string }) => {
  const says = useWords(toolWords)
  return (
    <Empty isPage title={says.unknown(name)} action={<Link href="/tools">{says.all}</Link>}>{says.unknownMore}</Empty>
  )
}

const Head = ({ tool: { area, credits, name, scope, summary } }: { readonly tool: Tool }) => {
  const says = useWords(toolWords)
  const { language } = useLanguage()
  return (
    <PageHead
      title={<code className={styles["name"]}>{name}</code>}
      aside={
        <>
          <Badge>{areaNames[area][language]}</Badge>
          {scope !== undefined && (
            <Badge>
              <code>{scope}</code>
            </Badge>
          )}
          <Badge look="tape">{says.credits(credits)}</Badge>
        </>
      }
    >
      {/* Screen readers need the language: the catalogue is only in English. */}
      <span lang="en">{summary}</span>
    </PageHead>
  )
}

/** The page of one tool: its arguments, its result, and the same call in code. */
export const ToolPage = ({ params: { name } }: { readonly params: { readonly name: string } }) => {
  const says = useWords(toolWords)
  const catalogue = useCatalogue()
  return (
    <>
      {catalogue.state !== "told" && <PageHead title={<code className={styles["name"]}>{name}</code>} />}
      <Told of={catalogue}>
        {({ tools }) => {
          const tool = tools.find((one) => one.name === name)
          if (tool === undefined) return <Unknown name={name} />
          return (
            <>
              <div className={styles["back"]}>
                <Link href="/tools" look="block">
                  <ArrowLeft aria-hidden />
                  {says.all}
                </Link>
              </div>
              <Head tool={tool} />
              <Runner key={tool.name} tool={tool} />
            </>
          )
        }}
      </Told>
    </>
  )
}
