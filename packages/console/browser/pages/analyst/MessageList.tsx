import type { Message } from "@tapeline/client"
import { ArrowDown, RotateCcw } from "lucide-react"
import { type ComponentType, memo, type ReactNode, useEffect, useState } from "react"
import { useTexts } from "../../i18n/texts.ts"
import type { Problem } from "../../requests/problem.ts"
import { Button } from "../../widgets/Button.tsx"
import { ProblemNote, Skeleton } from "../../widgets/states.tsx"
import type { AnswerSession, AnswerStreams } from "./AnswerStreams.ts"
import { messagesDuringAnswer } from "./history.ts"
import styles from "./MessageList.module.css"
import { LiveView, MessageView, QuestionView } from "./MessageView.tsx"
import { ProposalCards } from "./ProposalCards.tsx"
import { analystTexts } from "./texts.ts"
import { useStickToBottom } from "./useStickToBottom.ts"

interface OlderMessages {
  readonly hasOlder: boolean
  readonly isLoading: boolean
  readonly problem: Problem | undefined
  readonly loadOlder: () => void
}

const Suggestions = ({ onAsk, questions }: {
  readonly questions: ReadonlyArray<string>
  readonly onAsk: (text: string) => void
}) => {
  const texts = useTexts(analystTexts)
  return (
    <ul className={styles["suggestions"]} aria-label={texts.suggestions}>
      {questions.map((question) => (
        <li key={question}>
          <Button onPress={() => onAsk(question)}>{question}</Button>
        </li>
      ))}
    </ul>
  )
}

const LastAnswerActions = ({ last, onRegenerate, onAsk, price }: {
  readonly last: Message
  readonly price: string | undefined
  readonly onAsk: (text: string) => void
  readonly onRegenerate: () => void
}) => {
  const texts = useTexts(analystTexts)
  return (
    <div className={styles["foot"]}>
      {last.suggestions.length > 0 && <Suggestions questions={last.suggestions} onAsk={onAsk} />}
      <div className={styles["again"]}>
        <Button variant="quiet" onPress={onRegenerate}>
          <RotateCcw aria-hidden />
          {price === undefined ? texts.again : `${texts.again} · ${price}`}
        </Button>
        <span>{texts.againDetail}</span>
      </div>
    </div>
  )
}

const MessageItems = memo((
  { streams, messages }: { readonly streams: AnswerStreams; readonly messages: ReadonlyArray<Message> }
) =>
  messages.map((message) => (
    <li key={message.id} className={styles["message"]}>
      <MessageView message={message} details={streams.details(message.id)} />
      <ProposalCards message={message} />
    </li>
  ))
)
MessageItems.displayName = "MessageItems"

/** Announces to screen readers when an answer begins and ends, but not each word. */
const AnswerAnnouncement = ({ answer }: { readonly answer: AnswerSession | undefined }) => {
  const texts = useTexts(analystTexts)
  const state = answer?.state
  const [announcement, setAnnouncement] = useState("")
  const [before, setBefore] = useState(state)
  if (state !== before) {
    setBefore(state)
    if (state === "running") setAnnouncement(texts.announceWriting)
    else if (before === "running") setAnnouncement(state === "lost" ? texts.announceLost : texts.announceDone)
  }
  return <p className="hidden" role="status">{announcement}</p>
}

const isQuestionShown = (
  { isRegeneration, question, state }: AnswerSession,
  messages: ReadonlyArray<Message>,
  before: number
): boolean =>
  question !== undefined && !isRegeneration &&
  (state !== "ended" || !messages.some(({ id, role }) => role === "user" && id > before))

/** The messages of a conversation, oldest first, followed by the running answer. */
export const MessageList = ({ before, streams, empty: Empty, messages, note, onRegenerate, onAsk, price, answer }: {
  readonly streams: AnswerStreams
  readonly messages: ReadonlyArray<Message>
  readonly before: OlderMessages
  readonly answer: AnswerSession | undefined
  readonly note: ReactNode
  readonly empty: ComponentType<{ readonly ask: (text: string) => void }> | undefined
  readonly onAsk: (text: string) => void
  readonly onRegenerate: () => void
  readonly price: string | undefined
}) => {
  const texts = useTexts(analystTexts)
  const { hasOlder, isLoading, loadOlder, problem } = before
  const isRunning = answer?.state === "running"
  const visibleMessages = answer !== undefined && answer.isStarted && answer.state !== "ended"
    ? messagesDuringAnswer(messages, answer)
    : messages
  const canReadOlder = hasOlder && !isLoading && problem === undefined
  const onNearTop = () => {
    if (canReadOlder) loadOlder()
  }
  const { isAtEnd, onScroll, paneRef, scrollToEnd } = useStickToBottom(visibleMessages[0]?.id, onNearTop)
  const question = answer?.question
  useEffect(() => {
    if (question !== undefined) scrollToEnd()
  }, [question, scrollToEnd])
  const last = visibleMessages.at(-1)
  return (
    <div className={styles["thread"]}>
      <AnswerAnnouncement answer={answer} />
      {/* The scrollable list of messages is focusable, because users must be able to scroll the list by keyboard. */}
      <div
        className={styles["pane"]}
        ref={paneRef}
        onScroll={onScroll}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={texts.messages}
      >
        <div className={styles["content"]}>
          {isLoading && <Skeleton lines={2} />}
          {problem !== undefined && <ProblemNote problem={problem} onRetry={loadOlder} />}
          {canReadOlder && <Button variant="quiet" onPress={loadOlder}>{texts.olderMessages}</Button>}
          {visibleMessages.length === 0 && answer === undefined && Empty !== undefined && <Empty ask={onAsk} />}
          <ol className={styles["messages"]}>
            <MessageItems streams={streams} messages={visibleMessages} />
            {answer !== undefined && question !== undefined &&
              isQuestionShown(answer, messages, answer.newestMessageId) && (
              <li>
                <QuestionView question={question} />
              </li>
            )}
            {answer !== undefined && (answer.isStarted || isRunning) && (
              <li>
                <LiveView live={answer.live} isRunning={isRunning} />
              </li>
            )}
          </ol>
          {note}
          {answer === undefined && last?.role === "assistant" && (
            <LastAnswerActions last={last} onAsk={onAsk} onRegenerate={onRegenerate} price={price} />
          )}
        </div>
      </div>
      {!isAtEnd && (
        <div className={styles["toEnd"]}>
          <Button isSquare aria-label={texts.toEnd} onPress={scrollToEnd}>
            <ArrowDown aria-hidden />
          </Button>
        </div>
      )}
    </div>
  )
}
