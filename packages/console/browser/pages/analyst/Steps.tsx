import { Check, ChevronRight, CircleX, LoaderCircle, Square } from "lucide-react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { fillPath } from "../../router/route.ts"
import { Code } from "../../widgets/Code.tsx"
import { Link } from "../../widgets/layout.tsx"
import type { LiveAnswer, ToolCall } from "./liveAnswer.ts"
import styles from "./Steps.module.css"
import { analystTexts } from "./texts.ts"

/** Formats the arguments of a tool call as one line, such as `coin BTC, tf 1h`. */
const formatArguments = (args: unknown): string =>
  typeof args !== "object" || args === null
    ? ""
    : Object.entries(args).map(([name, value]) =>
      `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`
    )
      .join(", ")

const stateIcons = { running: LoaderCircle, done: Check, failed: CircleX, stopped: Square } as const

const ToolCallView = ({ call: { args, name, state, tookMs } }: { readonly call: ToolCall }) => {
  const texts = useTexts(analystTexts)
  const { integer } = useNumbers()
  const Icon = stateIcons[state]
  const stateTexts = {
    running: texts.toolRuns,
    done: texts.toolDone,
    failed: texts.toolFailed,
    stopped: texts.toolStopped
  } as const
  return (
    <li>
      <details>
        <summary className={styles["line"]}>
          <Icon className={styles[state]} aria-label={stateTexts[state]} />
          <code className={styles["name"]}>{name}</code>
          <span className={styles["args"]}>{formatArguments(args)}</span>
          {tookMs !== undefined && <span className={styles["took"]}>{texts.took(integer(tookMs))}</span>}
        </summary>
        <div className={styles["more"]}>
          <Code label={texts.argumentsOf(name)} text={JSON.stringify(args, null, 2)} />
          <p className="soft small">
            {texts.toolIncluded} <Link href={fillPath("/tools/:name", { name })}>{texts.toolOpen}</Link>
          </p>
        </div>
      </details>
    </li>
  )
}

const ToolCallList = ({ calls }: { readonly calls: ReadonlyArray<ToolCall> }) => (
  <ul className={styles["calls"]}>{calls.map((call) => <ToolCallView key={call.id} call={call} />)}</ul>
)

export const CalledTools = ({ tools }: {
  readonly tools: ReadonlyArray<{ readonly name: string; readonly ok: boolean }>
}) => {
  const texts = useTexts(analystTexts)
  return (
    <details className={styles["folded"]}>
      <summary className={styles["fold"]}>
        <ChevronRight aria-hidden />
        {texts.called(tools.length)}
      </summary>
      <ul className={styles["names"]}>
        {tools.map(({ name, ok }, i) => (
          <li key={i}>
            <Link href={fillPath("/tools/:name", { name })} variant="block">
              {ok
                ? <Check className={styles["done"]} aria-label={texts.toolDone} />
                : <CircleX className={styles["failed"]} aria-label={texts.toolFailed} />}
              <code className={styles["name"]}>{name}</code>
            </Link>
          </li>
        ))}
      </ul>
    </details>
  )
}

const Reasoning = ({ reasoning }: Pick<LiveAnswer, "reasoning">) => {
  const texts = useTexts(analystTexts)
  return (
    <details className={styles["folded"]}>
      <summary className={styles["fold"]}>
        <ChevronRight aria-hidden />
        {texts.reasoning}
      </summary>
      <div className={styles["reasons"]}>
        {reasoning.map(({ step, text }) => <p key={step}>{text}</p>)}
      </div>
    </details>
  )
}

export const Steps = ({ live: { reasoning, tools } }: { readonly live: Pick<LiveAnswer, "reasoning" | "tools"> }) => (
  <>
    {reasoning.length > 0 && <Reasoning reasoning={reasoning} />}
    {tools.length > 0 && <ToolCallList calls={tools} />}
  </>
)
