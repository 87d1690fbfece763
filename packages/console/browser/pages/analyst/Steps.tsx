import { Check, ChevronRight, CircleX, LoaderCircle, Square } from "lucide-react"
import { filled } from "../../router/route.ts"
import { Code } from "../../widgets/Code.tsx"
import { Link } from "../../widgets/parts.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import type { Live, ToolCall } from "./live.ts"
import styles from "./Steps.module.css"
import { analystWords } from "./words.ts"

/** Formats arguments as one line: `coin BTC, tf 1h`. */
const inLine = (args: unknown): string =>
  typeof args !== "object" || args === null
    ? ""
    : Object.entries(args).map(([name, value]) =>
      `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`
    )
      .join(", ")

const icons = { running: LoaderCircle, done: Check, failed: CircleX, stopped: Square } as const

const Call = ({ call: { args, name, state, tookMs } }: { readonly call: ToolCall }) => {
  const says = useWords(analystWords)
  const { whole } = useNumbers()
  const Icon = icons[state]
  const states = {
    running: says.toolRuns,
    done: says.toolDone,
    failed: says.toolFailed,
    stopped: says.toolStopped
  } as const
  return (
    <li>
      <details className={styles["call"]}>
        <summary className={styles["line"]}>
          <Icon className={styles[state]} aria-label={states[state]} />
          <code className={styles["name"]}>{name}</code>
          <span className={styles["args"]}>{inLine(args)}</span>
          {tookMs !== undefined && <span className={styles["took"]}>{says.took(whole(tookMs))}</span>}
        </summary>
        <div className={styles["more"]}>
          <Code label={says.argumentsOf(name)} text={JSON.stringify(args, null, 2)} />
          <p className={styles["soft"]}>
            {says.toolPart} <Link href={filled("/tools/:name", { name })}>{says.toolOpen}</Link>
          </p>
        </div>
      </details>
    </li>
  )
}

/** The tool calls of an answer in order: arguments, result and duration. */
const Calls = ({ calls }: { readonly calls: ReadonlyArray<ToolCall> }) => (
  <ul className={styles["calls"]}>{calls.map((call) => <Call key={call.id} call={call} />)}</ul>
)

/** The tool calls of an answer of which only the names are known. */
export const Called = ({ tools }: {
  readonly tools: ReadonlyArray<{ readonly name: string; readonly ok: boolean }>
}) => {
  const says = useWords(analystWords)
  return (
    <details className={styles["folded"]}>
      <summary className={styles["fold"]}>
        <ChevronRight aria-hidden />
        {says.called(tools.length)}
      </summary>
      <ul className={styles["names"]}>
        {tools.map(({ name, ok }, i) => (
          <li key={i}>
            <Link href={filled("/tools/:name", { name })} look="block">
              {ok
                ? <Check className={styles["done"]} aria-label={says.toolDone} />
                : <CircleX className={styles["failed"]} aria-label={says.toolFailed} />}
              <code className={styles["name"]}>{name}</code>
            </Link>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** The model's reasoning before the answer. */
const Reasoning = ({ reasoning }: Pick<Live, "reasoning">) => {
  const says = useWords(analystWords)
  return (
    <details className={styles["folded"]}>
      <summary className={styles["fold"]}>
        <ChevronRight aria-hidden />
        {says.reasoning}
      </summary>
      <div className={styles["reasons"]}>
        {reasoning.map(({ step, text }) => <p key={step}>{text}</p>)}
      </div>
    </details>
  )
}

/** The folded reasoning of an answer, and its tool calls. */
export const Steps = ({ live: { reasoning, tools } }: { readonly live: Pick<Live, "reasoning" | "tools"> }) => (
  <>
    {reasoning.length > 0 && <Reasoning reasoning={reasoning} />}
    {tools.length > 0 && <Calls calls={tools} />}
  </>
)
