import type { Message } from "@tapeline/client"
import { ImageIcon } from "lucide-react"
import { memo, type ReactNode, useMemo } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { ChartImage } from "../../widgets/ChartImage.tsx"
import { Badge } from "../../widgets/layout.tsx"
import type { Question } from "./AnswerStreams.ts"
import { FigureSources } from "./FigureView.tsx"
import { remainingCharts } from "./links.ts"
import type { LiveAnswer } from "./liveAnswer.ts"
import { Markdown } from "./Markdown.tsx"
import { listMarks } from "./markFigures.ts"
import styles from "./MessageView.module.css"
import { CalledTools, Steps } from "./Steps.tsx"
import { analystTexts } from "./texts.ts"

const MessageHeader = ({ aside, at, children }: {
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

/** A question that the user has just sent, shown before the service returns the stored question. */
export const QuestionView = ({ question: { images, text } }: { readonly question: Question }) => {
  const texts = useTexts(analystTexts)
  return (
    <article className={styles["asked"]}>
      <MessageHeader>{texts.you}</MessageHeader>
      <p className={styles["question"]}>{text}</p>
      {images.length > 0 && (
        <ul className={styles["images"]}>
          {images.map(({ dataUrl, id, name }) => (
            <li key={id}>
              <img src={dataUrl} alt={name} />
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}

const StoredImages = ({ images }: Pick<Message, "images">) => {
  const texts = useTexts(analystTexts)
  return (
    <ul className={styles["images"]}>
      {images.map(({ height, media_type, width }, i) => (
        <li key={i} className="row gap-1 soft small">
          <ImageIcon aria-hidden size={14} />
          {texts.imageSummary(media_type.replace("image/", "").toUpperCase(), width, height)}
        </li>
      ))}
    </ul>
  )
}

const RemainingCharts = ({ charts, text }: { readonly text: string; readonly charts: ReadonlyArray<string> }) => {
  const texts = useTexts(analystTexts)
  return remainingCharts(text, charts).map((chart) => <ChartImage key={chart} alt={texts.chart} chart={chart} />)
}

interface CheckedText {
  readonly disclaimer: string | undefined
  readonly figures: Message["figures"] | undefined
  readonly unmatched: Message["unmatched"] | undefined
  readonly text: string
  readonly charts: ReadonlyArray<string>
  readonly calls: ReadonlyArray<{ readonly id: string | undefined; readonly name: string }>
}

/** The text of an answer, with its numbers linked to their sources. */
const CheckedMarkdown = ({ calls, charts, disclaimer, figures, text, unmatched }: CheckedText) => {
  const texts = useTexts(analystTexts)
  const marks = useMemo(() => listMarks({ figures, unmatched }), [figures, unmatched])
  const names = new Map(calls.flatMap(({ id, name }) => id === undefined ? [] : [[id, name] as const]))
  const count = unmatched?.length ?? 0
  return (
    <FigureSources value={names}>
      <Markdown charts={charts} marks={marks} text={text} />
      {count > 0 && <p className="soft small">{texts.figuresUnmatched(count)}</p>}
      {disclaimer !== undefined && (
        <p>
          <Badge>{disclaimer}</Badge>
        </p>
      )}
    </FigureSources>
  )
}

const Cost = ({ done }: Pick<LiveAnswer, "done">) => {
  const texts = useTexts(analystTexts)
  const { integer } = useNumbers()
  if (done === undefined) return null
  return (
    <span className={styles["cost"]}>
      {texts.credits(done.credits_used)} · {texts.seconds(integer(Math.max(1, Math.round(done.took_ms / 1000))))}
    </span>
  )
}

/** An answer that is being written, or that the service did not store. */
export const LiveView = ({ isRunning, live }: { readonly live: LiveAnswer; readonly isRunning: boolean }) => {
  const texts = useTexts(analystTexts)
  const { charts, done, status, text, tools } = live
  return (
    <article className={styles["answer"]} aria-busy={isRunning}>
      <MessageHeader aside={<Cost done={done} />}>{texts.analyst}</MessageHeader>
      <Steps live={live} />
      {text !== "" && (
        <CheckedMarkdown
          calls={tools}
          charts={charts}
          disclaimer={done?.disclaimer}
          figures={done?.figures}
          text={text}
          unmatched={done?.unmatched}
        />
      )}
      {!isRunning && <RemainingCharts charts={charts} text={text} />}
      {isRunning && done === undefined && (
        <p className="row gap-2 soft">
          <span className={styles["pulse"]} aria-hidden />
          {status === undefined
            ? texts.asking
            : status.phase === "answering" && text !== ""
            ? texts.writing
            : status.text}
        </p>
      )}
    </article>
  )
}

/** A stored message of a conversation, with `details` for an answer that the page has read as a stream. */
export const MessageView = memo(({ details, message }: {
  readonly message: Message
  readonly details: LiveAnswer | undefined
}) => {
  const texts = useTexts(analystTexts)
  const { charts, content, created_at: at, images, outcome, role, tools } = message
  if (role === "user") {
    return (
      <article className={styles["asked"]}>
        <MessageHeader at={at}>{texts.you}</MessageHeader>
        <p className={styles["question"]}>{content}</p>
        {images.length > 0 && <StoredImages images={images} />}
      </article>
    )
  }
  const badge = role === "task"
    ? <Badge variant="tape">{texts.byTask}</Badge>
    : outcome === "cancelled"
    ? <Badge>{texts.cancelled}</Badge>
    : outcome === "failed"
    ? <Badge variant="bad">{texts.failed}</Badge>
    : null
  return (
    <article className={styles["answer"]}>
      <MessageHeader
        at={at}
        aside={
          <>
            {badge}
            <Cost done={details?.done} />
          </>
        }
      >
        {role === "task" ? texts.task : texts.analyst}
      </MessageHeader>
      {details !== undefined && <Steps live={details} />}
      {tools.length > 0 && (details === undefined || details.tools.length === 0) && <CalledTools tools={tools} />}
      {content !== "" && (
        <CheckedMarkdown
          calls={tools.map(({ call_id: id, name }) => ({ id, name }))}
          charts={charts}
          disclaimer={message.disclaimer}
          figures={message.figures}
          text={content}
          unmatched={message.unmatched}
        />
      )}
      <RemainingCharts charts={charts} text={content} />
      {details?.done?.error !== undefined && (
        <p className={styles["error"]} role="alert">{details.done.error.message}</p>
      )}
    </article>
  )
})
MessageView.displayName = "MessageView"
