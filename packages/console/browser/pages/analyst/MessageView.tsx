import type { Message } from "@tapeline/client"
import { ImageIcon } from "lucide-react"
import { memo, type ReactNode } from "react"
import { ChartImage } from "../../widgets/ChartImage.tsx"
import { Badge } from "../../widgets/parts.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import type { Question } from "./Desk.ts"
import { chartsLeft } from "./links.ts"
import type { Live } from "./live.ts"
import { Markdown } from "./Markdown.tsx"
import styles from "./MessageView.module.css"
import { Called, Steps } from "./Steps.tsx"
import { analystWords } from "./words.ts"

const By = ({ aside, at, children }: {
  readonly children: string
  readonly at?: string | undefined
  readonly aside?: ReactNode
}) => {
  const { time } = useNumbers()
  return (
    <header className={styles["by"]}>
      <h2>{children}</h2>
      {at !== undefined && <time dateTime={at}>{time(at)}</time>}
      {aside}
    </header>
  )
}

/** A question that was just sent, before the service returns it. */
export const AskedView = ({ question: { images, text } }: { readonly question: Question }) => {
  const says = useWords(analystWords)
  return (
    <article className={styles["asked"]}>
      <By>{says.you}</By>
      <p className={styles["question"]}>{text}</p>
      {images.length > 0 && (
        <ul className={styles["images"]}>
          {images.map(({ address, id, name }) => (
            <li key={id}>
              <img src={address} alt={name} />
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}

const Noted = ({ images }: Pick<Message, "images">) => {
  const says = useWords(analystWords)
  return (
    <ul className={styles["images"]}>
      {images.map(({ height, media_type, width }, i) => (
        <li key={i} className={styles["noted"]}>
          <ImageIcon aria-hidden />
          {says.imageNoted(media_type.replace("image/", "").toUpperCase(), width, height)}
        </li>
      ))}
    </ul>
  )
}

const Left = ({ charts, text }: { readonly text: string; readonly charts: ReadonlyArray<string> }) => {
  const says = useWords(analystWords)
  return chartsLeft(text, charts).map((chart) => <ChartImage key={chart} alt={says.chart} chart={chart} />)
}

const Cost = ({ done }: Pick<Live, "done">) => {
  const says = useWords(analystWords)
  const { whole } = useNumbers()
  if (done === undefined) return null
  return (
    <span className={styles["cost"]}>
      {says.credits(done.credits_used)} · {says.seconds(whole(Math.max(1, Math.round(done.took_ms / 1000))))}
    </span>
  )
}

/** An answer that is being written, or that is stored nowhere else. */
export const LiveView = ({ isRunning, live }: { readonly live: Live; readonly isRunning: boolean }) => {
  const says = useWords(analystWords)
  const { charts, done, status, text } = live
  return (
    <article className={styles["answer"]} aria-busy={isRunning}>
      <By aside={<Cost done={done} />}>{says.analyst}</By>
      <Steps live={live} />
      {text !== "" && <Markdown charts={charts} text={text} />}
      {!isRunning && <Left charts={charts} text={text} />}
      {isRunning && done === undefined && (
        <p className={styles["status"]}>
          <span className={styles["pulse"]} aria-hidden />
          {status === undefined
            ? says.asking
            : status.phase === "answering" && text !== ""
            ? says.writing
            : status.text}
        </p>
      )}
    </article>
  )
}

/** A stored message. `details` is defined for an answer that this page read as a stream. */
export const MessageView = memo(({ details, message }: {
  readonly message: Message
  readonly details: Live | undefined
}) => {
  const says = useWords(analystWords)
  const { charts, content, created_at: at, images, outcome, role, tools } = message
  if (role === "user") {
    return (
      <article className={styles["asked"]}>
        <By at={at}>{says.you}</By>
        <p className={styles["question"]}>{content}</p>
        {images.length > 0 && <Noted images={images} />}
      </article>
    )
  }
  const badge = role === "task"
    ? <Badge look="tape">{says.byTask}</Badge>
    : outcome === "cancelled"
    ? <Badge>{says.cancelled}</Badge>
    : outcome === "failed"
    ? <Badge look="bad">{says.failed}</Badge>
    : null
  return (
    <article className={styles["answer"]}>
      <By
        at={at}
        aside={
          <>
            {badge}
            <Cost done={details?.done} />
          </>
        }
      >
        {role === "task" ? says.task : says.analyst}
      </By>
      {details !== undefined && <Steps live={details} />}
      {tools.length > 0 && (details === undefined || details.tools.length === 0) && <Called tools={tools} />}
      {content !== "" && <Markdown charts={charts} text={content} />}
      <Left charts={charts} text={content} />
      {details?.done?.error !== undefined && (
        <p className={styles["error"]} role="alert">{details.done.error.message}</p>
      )}
    </article>
  )
})
MessageView.displayName = "MessageView"
