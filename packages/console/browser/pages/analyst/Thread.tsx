import type { Message } from "@tapeline/client"
import { ArrowDown, RotateCcw } from "lucide-react"
import { type ComponentType, memo, type ReactNode, useEffect, useState } from "react"
import type { Trouble } from "../../asking/trouble.ts"
import { Button } from "../../widgets/Button.tsx"
import { Skeleton, TroubleNote } from "../../widgets/states.tsx"
import { useWords } from "../../words/words.ts"
import type { Desk, Session } from "./Desk.ts"
import { besides } from "./history.ts"
import { AskedView, LiveView, MessageView } from "./MessageView.tsx"
import { acceptance, openProposals } from "./proposals.ts"
import styles from "./Thread.module.css"
import { useStuck } from "./useStuck.ts"
import { analystWords } from "./words.ts"

interface Before {
  readonly hasOlder: boolean
  readonly isReading: boolean
  readonly trouble: Trouble | undefined
  readonly readOlder: () => void
}

/** Buttons that accept the changes proposed at the end of an answer. Nothing is written before. */
const Proposals = ({ message, onAsk }: {
  readonly message: Message
  readonly onAsk: (text: string) => void
}) => {
  const says = useWords(analystWords)
  const [now] = useState(() => Date.now())
  const proposals = openProposals(message, now)
  if (proposals.length === 0) return null
  const { length: count } = proposals
  return (
    <section className={styles["proposals"]} aria-label={says.proposals}>
      <p>{says.confirmMore}</p>
      <div className={styles["ways"]}>
        {proposals.map(({ call }, i) => (
          <Button key={call} onPress={() => onAsk(acceptance(message.lang, count, i))}>
            {count === 1 ? says.confirm : says.confirmOne(i + 1)}
          </Button>
        ))}
        {count > 1 && <Button onPress={() => onAsk(acceptance(message.lang, count))}>{says.confirmAll}</Button>}
      </div>
    </section>
  )
}

const Suggestions = ({ onAsk, questions }: {
  readonly questions: ReadonlyArray<string>
  readonly onAsk: (text: string) => void
}) => {
  const says = useWords(analystWords)
  return (
    <ul className={styles["suggestions"]} aria-label={says.suggestions}>
      {questions.map((question) => (
        <li key={question}>
          <Button onPress={() => onAsk(question)}>{question}</Button>
        </li>
      ))}
    </ul>
  )
}

/** The part below the last answer while nothing runs: proposals, suggested questions, and regeneration. */
const Foot = ({ last, onAgain, onAsk, price }: {
  readonly last: Message
  readonly price: string | undefined
  readonly onAsk: (text: string) => void
  readonly onAgain: () => void
}) => {
  const says = useWords(analystWords)
  return (
    <div className={styles["foot"]}>
      <Proposals message={last} onAsk={onAsk} />
      {last.suggestions.length > 0 && <Suggestions questions={last.suggestions} onAsk={onAsk} />}
      <div className={styles["again"]}>
        <Button look="quiet" onPress={onAgain}>
          <RotateCcw aria-hidden />
          {price === undefined ? says.again : `${says.again} · ${price}`}
        </Button>
        <span>{says.againMore}</span>
      </div>
    </div>
  )
}

const Said = memo(({ desk, messages }: { readonly desk: Desk; readonly messages: ReadonlyArray<Message> }) =>
  messages.map((message) => (
    <li key={message.id} className={styles["message"]}>
      <MessageView message={message} details={desk.details(message.id)} />
    </li>
  ))
)
Said.displayName = "Said"

/** Announces to screen readers that an answer is being written, and that it is complete, but not each word. */
const Announced = ({ session }: { readonly session: Session | undefined }) => {
  const says = useWords(analystWords)
  const state = session?.state
  const [told, setTold] = useState("")
  const [before, setBefore] = useState(state)
  if (state !== before) {
    setBefore(state)
    if (state === "running") setTold(says.announceWriting)
    else if (before === "running") setTold(state === "lost" ? says.announceLost : says.announceDone)
  }
  return <p className={styles["unseen"]} role="status">{told}</p>
}

const isShown = ({ isAgain, question, state }: Session, messages: ReadonlyArray<Message>, before: number): boolean =>
  question !== undefined && !isAgain &&
  (state !== "ended" || !messages.some(({ id, role }) => role === "user" && id > before))

/** The messages, oldest first, and the running answer. The view follows the end while the user is at the end. */
export const Thread = ({ before, desk, empty: Empty, messages, note, onAgain, onAsk, price, session }: {
  readonly desk: Desk
  readonly messages: ReadonlyArray<Message>
  readonly before: Before
  readonly session: Session | undefined
  /** The error of the last answer. */
  readonly note: ReactNode
  /** The content of an empty conversation. */
  readonly empty: ComponentType<{ readonly ask: (text: string) => void }> | undefined
  readonly onAsk: (text: string) => void
  readonly onAgain: () => void
  /** The formatted price of an answer. */
  readonly price: string | undefined
}) => {
  const says = useWords(analystWords)
  const { hasOlder, isReading, readOlder, trouble } = before
  const isRunning = session?.state === "running"
  const shown = session !== undefined && session.isBegun && session.state !== "ended"
    ? besides(messages, session)
    : messages
  const mayRead = hasOlder && !isReading && trouble === undefined
  const nearTop = () => {
    if (mayRead) readOlder()
  }
  const { isAtEnd, onScroll, pane, toEnd } = useStuck(shown[0]?.id, nearTop)
  const question = session?.question
  useEffect(() => {
    if (question !== undefined) toEnd()
  }, [question, toEnd])
  const last = shown.at(-1)
  return (
    <div className={styles["thread"]}>
      <Announced session={session} />
      {/* A region that scrolls must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles["pane"]} ref={pane} onScroll={onScroll} tabIndex={0} role="region" aria-label={says.said}>
        <div className={styles["content"]}>
          {isReading && <Skeleton lines={2} />}
          {trouble !== undefined && <TroubleNote trouble={trouble} again={readOlder} />}
          {mayRead && <Button look="quiet" onPress={readOlder}>{says.olderMessages}</Button>}
          {shown.length === 0 && session === undefined && Empty !== undefined && <Empty ask={onAsk} />}
          <ol className={styles["messages"]}>
            <Said desk={desk} messages={shown} />
            {session !== undefined && question !== undefined && isShown(session, messages, session.before) && (
              <li>
                <AskedView question={question} />
              </li>
            )}
            {session !== undefined && (session.isBegun || isRunning) && (
              <li>
                <LiveView live={session.live} isRunning={isRunning} />
              </li>
            )}
          </ol>
          {note}
          {session === undefined && last?.role === "assistant" && (
            <Foot last={last} onAsk={onAsk} onAgain={onAgain} price={price} />
          )}
        </div>
      </div>
      {!isAtEnd && (
        <div className={styles["toEnd"]}>
          <Button isSquare aria-label={says.toEnd} onPress={toEnd}>
            <ArrowDown aria-hidden />
          </Button>
        </div>
      )}
    </div>
  )
}
