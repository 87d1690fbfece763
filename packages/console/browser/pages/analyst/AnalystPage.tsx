import type { ConversationView } from "@tapeline/client"
import { History as Clock, MessagesSquare } from "lucide-react"
import { type ReactNode, useEffect, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { useRequest } from "../../requests/useRequest.ts"
import { useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Dialog } from "../../widgets/Dialog.tsx"
import { Badge, Link } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import styles from "./AnalystPage.module.css"
import { ConversationPanel } from "./ConversationPanel.tsx"
import { Conversations } from "./Conversations.tsx"
import { isRunningRegeneration } from "./history.ts"
import { analystTexts } from "./texts.ts"
import { conversationKey, pageLength, useAnswerSession, useAnswerStreams } from "./useAnswerStreams.ts"
import { useHistory } from "./useHistory.ts"

/**
 * The page layout of the conversations. The list of conversations is next to the open conversation, or behind a button
 * on a narrow screen.
 */
const ConversationFrame = ({ children, mode, openId, title }: {
  readonly title: string
  readonly mode?: "analyst" | "mentor" | undefined
  readonly openId: number | undefined
  readonly children: ReactNode
}) => {
  const texts = useTexts(analystTexts)
  const [isListOpen, setIsListOpen] = useState(false)
  return (
    <div className={styles["frame"]}>
      <aside className={styles["list"]} aria-label={texts.conversations}>
        <Conversations openId={openId} />
      </aside>
      <section className={styles["desk"]}>
        <header className={styles["head"]}>
          <h1>{title}</h1>
          {mode === "mentor" && <Badge variant="tape">{texts.modeMentorShort}</Badge>}
          <span className={styles["listButton"]}>
            <Button onPress={() => setIsListOpen(true)}>
              <Clock aria-hidden />
              {texts.conversations}
            </Button>
          </span>
        </header>
        {children}
      </section>
      <Dialog title={texts.conversations} isOpen={isListOpen} onClose={() => setIsListOpen(false)}>
        {isListOpen && <Conversations openId={openId} />}
      </Dialog>
    </div>
  )
}

const noHistory = { hasOlder: false, isLoading: false, problem: undefined, loadOlder: () => undefined } as const

const Welcome = ({ ask }: { readonly ask: (text: string) => void }) => {
  const texts = useTexts(analystTexts)
  return (
    <div className={styles["beginning"]}>
      <p className={styles["lead"]}>{texts.lead}</p>
      <ul>
        {[texts.first1, texts.first2, texts.first3, texts.first4].map((question) => (
          <li key={question}>
            <Button onPress={() => ask(question)}>{question}</Button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The page of a new conversation. The query parameter `ask` contains the initial text of the question. */
const NewConversation = () => {
  const texts = useTexts(analystTexts)
  const { query } = useLocation()
  return (
    <ConversationFrame title={texts.title} openId={undefined}>
      <ConversationPanel
        target="new"
        messages={[]}
        before={noHistory}
        mode={undefined}
        initialText={query.get("ask") ?? ""}
        empty={Welcome}
      />
    </ConversationFrame>
  )
}

const LoadedConversation = ({ view }: { readonly view: ConversationView }) => {
  const { client } = useAccess()
  const streams = useAnswerStreams()
  const answer = useAnswerSession(streams, view.id)
  const { history, isLoading, loadOlder, problem } = useHistory(view)
  const { messages, older } = history
  const isFollowed = answer !== undefined && answer.state !== "ended"
  useEffect(() => {
    // The page follows a running answer that another page requested, or that this page requested before a reload.
    if (!view.running || isFollowed) return
    streams.follow(client, view.id, {
      newestMessageId: messages.at(-1)?.id ?? 0,
      isRegeneration: isRunningRegeneration(messages)
    })
  }, [client, streams, isFollowed, messages, view])
  return (
    <ConversationPanel
      target={view.id}
      messages={messages}
      before={{ hasOlder: older !== null, isLoading, problem, loadOlder }}
      mode={view.mode}
      initialText=""
      empty={undefined}
    />
  )
}

const UnknownConversation = () => {
  const texts = useTexts(analystTexts)
  return (
    <EmptyState icon={MessagesSquare} title={texts.unknown} action={<Link href="/analyst">{texts.new}</Link>}>
      {texts.unknownDetail}
    </EmptyState>
  )
}

const Conversation = ({ id }: { readonly id: number }) => {
  const texts = useTexts(analystTexts)
  const conversation = useRequest(
    conversationKey(id),
    (client, options) => client.conversations.read(id, { order: "newest", limit: pageLength }, options),
    // The page repeats the request to show answers that other pages requested. A plan may allow only ten requests per
    // minute.
    { refreshMs: 60_000 }
  )
  const { state } = conversation
  const isUnknown = state === "failed" && conversation.problem.kind === "not there"
  return (
    <ConversationFrame
      title={state === "loaded" ? conversation.data.title : texts.title}
      mode={state === "loaded" ? conversation.data.mode : undefined}
      openId={id}
    >
      {isUnknown ? <UnknownConversation /> : (
        <RequestView
          request={conversation}
          placeholder={
            <div className={styles["waiting"]}>
              <Skeleton lines={8} />
            </div>
          }
        >
          {(view) => <LoadedConversation view={view} />}
        </RequestView>
      )}
    </ConversationFrame>
  )
}

export const AnalystPage = ({ params: { conversation } }: { readonly params: { readonly conversation?: string } }) => {
  const texts = useTexts(analystTexts)
  const id = Number(conversation)
  if (conversation === undefined) return <NewConversation />
  return Number.isSafeInteger(id) && id > 0 ?
    <Conversation key={id} id={id} /> :
    (
      <ConversationFrame title={texts.title} openId={undefined}>
        <UnknownConversation />
      </ConversationFrame>
    )
}
