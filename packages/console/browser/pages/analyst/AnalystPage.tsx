import type { ConversationView } from "@tapeline/client"
import { History as Clock, MessagesSquare } from "lucide-react"
import { type ReactNode, useEffect, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { useAsk } from "../../asking/useAsk.ts"
import { useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Dialog } from "../../widgets/Dialog.tsx"
import { Badge, Link } from "../../widgets/parts.tsx"
import { Empty, Skeleton } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useWords } from "../../words/words.ts"
import styles from "./AnalystPage.module.css"
import { Conversations } from "./Conversations.tsx"
import { isAnsweredAgain } from "./history.ts"
import { Talk } from "./Talk.tsx"
import { conversationKey, pageLength, useDesk, useSession } from "./useDesk.ts"
import { useHistory } from "./useHistory.ts"
import { analystWords } from "./words.ts"

/** The list of conversations next to the open one; on a narrow screen, the list is behind a button. */
const Frame = ({ children, mode, open, title }: {
  readonly title: string
  readonly mode?: "analyst" | "mentor" | undefined
  readonly open: number | undefined
  readonly children: ReactNode
}) => {
  const says = useWords(analystWords)
  const [isListed, setIsListed] = useState(false)
  return (
    <div className={styles["frame"]}>
      <aside className={styles["list"]} aria-label={says.conversations}>
        <Conversations open={open} />
      </aside>
      <section className={styles["desk"]}>
        <header className={styles["head"]}>
          <h1>{title}</h1>
          {mode === "mentor" && <Badge look="tape">{says.modeMentorShort}</Badge>}
          <span className={styles["listButton"]}>
            <Button onPress={() => setIsListed(true)}>
              <Clock aria-hidden />
              {says.conversations}
            </Button>
          </span>
        </header>
        {children}
      </section>
      <Dialog title={says.conversations} isOpen={isListed} onClose={() => setIsListed(false)}>
        {isListed && <Conversations open={open} />}
      </Dialog>
    </div>
  )
}

const noneBefore = { hasOlder: false, isReading: false, trouble: undefined, readOlder: () => undefined } as const

const Beginning = ({ ask }: { readonly ask: (text: string) => void }) => {
  const says = useWords(analystWords)
  return (
    <div className={styles["beginning"]}>
      <p className={styles["lead"]}>{says.lead}</p>
      <ul>
        {[says.first1, says.first2, says.first3, says.first4].map((question) => (
          <li key={question}>
            <Button onPress={() => ask(question)}>{question}</Button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A new conversation. `?ask=` contains its first question. */
const NewConversation = () => {
  const says = useWords(analystWords)
  const { query } = useLocation()
  return (
    <Frame title={says.title} open={undefined}>
      <Talk
        place="new"
        messages={[]}
        before={noneBefore}
        mode={undefined}
        first={query.get("ask") ?? ""}
        empty={Beginning}
      />
    </Frame>
  )
}

const Known = ({ view }: { readonly view: ConversationView }) => {
  const { client } = useAccess()
  const desk = useDesk()
  const session = useSession(desk, view.id)
  const { history, isReading, readOlder, trouble } = useHistory(view)
  const { messages, older } = history
  const isFollowed = session !== undefined && session.state !== "ended"
  useEffect(() => {
    // The answer was requested before this page was loaded, or by another page.
    if (!view.running || isFollowed) return
    desk.follow(client, view.id, { before: messages.at(-1)?.id ?? 0, isAgain: isAnsweredAgain(messages) })
  }, [client, desk, isFollowed, messages, view])
  return (
    <Talk
      place={view.id}
      messages={messages}
      before={{ hasOlder: older !== null, isReading, trouble, readOlder }}
      mode={view.mode}
      first=""
      empty={undefined}
    />
  )
}

const NoSuch = () => {
  const says = useWords(analystWords)
  return (
    <Empty icon={MessagesSquare} title={says.unknown} action={<Link href="/analyst">{says.new}</Link>}>
      {says.unknownMore}
    </Empty>
  )
}

const Conversation = ({ id }: { readonly id: number }) => {
  const says = useWords(analystWords)
  const conversation = useAsk(
    conversationKey(id),
    (client, options) => client.conversations.read(id, { order: "newest", limit: pageLength }, options),
    // Shows answers that were requested elsewhere. The interval is long: a plan may allow ten requests a minute.
    { everyMs: 60_000 }
  )
  const { state } = conversation
  const isUnknown = state === "trouble" && conversation.trouble.kind === "not there"
  return (
    <Frame
      title={state === "told" ? conversation.data.title : says.title}
      mode={state === "told" ? conversation.data.mode : undefined}
      open={id}
    >
      {isUnknown ? <NoSuch /> : (
        <Told
          of={conversation}
          waiting={
            <div className={styles["waiting"]}>
              <Skeleton lines={8} />
            </div>
          }
        >
          {(view) => <Known view={view} />}
        </Told>
      )}
    </Frame>
  )
}

/** The page of `/analyst`, a new conversation, and of `/analyst/:conversation`. */
export const AnalystPage = ({ params: { conversation } }: { readonly params: { readonly conversation?: string } }) => {
  const says = useWords(analystWords)
  const id = Number(conversation)
  if (conversation === undefined) return <NewConversation />
  return Number.isSafeInteger(id) && id > 0 ?
    <Conversation key={id} id={id} /> :
    (
      <Frame title={says.title} open={undefined}>
        <NoSuch />
      </Frame>
    )
}
