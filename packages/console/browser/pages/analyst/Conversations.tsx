import { useQueryClient } from "@tanstack/react-query"
import { MessagesSquare, Plus, Trash2 } from "lucide-react"
import { useState } from "react"
import { Button as Pressed } from "react-aria-components"
import { useAccess } from "../../access/Access.tsx"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { useAction, useRequest } from "../../requests/useRequest.ts"
import { navigate } from "../../router/location.ts"
import { fillPath } from "../../router/route.ts"
import { Button } from "../../widgets/Button.tsx"
import { ConfirmDialog } from "../../widgets/forms.tsx"
import { Link } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import styles from "./Conversations.module.css"
import { analystTexts } from "./texts.ts"
import { conversationsKey } from "./useAnswerStreams.ts"

interface ConversationTitle {
  readonly id: number
  readonly title: string
}

const perPage = 40

const conversationPath = (id: number): string => fillPath("/analyst/:conversation", { conversation: String(id) })

const RemoveDialog = ({ conversation, onClose, openId }: {
  readonly conversation: ConversationTitle
  readonly openId: number | undefined
  readonly onClose: () => void
}) => {
  const texts = useTexts(analystTexts)
  const { identity } = useAccess()
  const queryClient = useQueryClient()
  const removal = useAction(
    async (client, { id }: ConversationTitle) => client.conversations.remove(id),
    (_, { id }) => {
      void queryClient.invalidateQueries({ queryKey: [identity, ...conversationsKey] })
      showToast(texts.removed)
      onClose()
      if (id === openId) navigate("/analyst", { replace: true })
    }
  )
  return (
    <ConfirmDialog
      title={texts.remove}
      label={texts.removeDo}
      action={removal}
      onConfirm={() => removal.run(conversation)}
      onClose={onClose}
    >
      <p>{texts.removeDetail(conversation.title)}</p>
    </ConfirmDialog>
  )
}

const Page = ({ cursor, isFirst, isLast, onMore, onRemove, openId }: {
  readonly cursor: string | undefined
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly openId: number | undefined
  readonly onMore: (cursor: string) => void
  readonly onRemove: (conversation: ConversationTitle) => void
}) => {
  const texts = useTexts(analystTexts)
  const { time } = useNumbers()
  const request = useRequest(
    [...conversationsKey, cursor ?? ""],
    (client, options) => client.conversations.list({ limit: perPage, cursor }, options)
  )
  return (
    <RequestView request={request} placeholder={<Skeleton lines={isFirst ? 6 : 3} />}>
      {({ conversations, next_cursor: next }) =>
        isFirst && conversations.length === 0
          ? <EmptyState icon={MessagesSquare} title={texts.none} />
          : (
            <>
              <ul className={styles["list"]}>
                {conversations.map(({ id, running, title, updated_at: at }) => (
                  <li key={id} className={`${styles["entry"]} ${id === openId ? styles["open"] : ""}`}>
                    <span className={styles["link"]} {...(id === openId ? { "aria-current": "page" } : {})}>
                      <Link href={conversationPath(id)} variant="block">
                        <span className={styles["title"]}>{title}</span>
                        <span className="soft small">{running ? texts.isRunning : time(at)}</span>
                      </Link>
                    </span>
                    <Pressed
                      className={`icon-button ${styles["remove"]}`}
                      aria-label={texts.removeNamed(title)}
                      onPress={() =>
                        onRemove({ id, title })}
                    >
                      <Trash2 aria-hidden size={14} />
                    </Pressed>
                  </li>
                ))}
              </ul>
              {isLast && next !== null && <Button variant="quiet" onPress={() => onMore(next)}>{texts.older}</Button>}
            </>
          )}
    </RequestView>
  )
}

export const Conversations = ({ openId }: { readonly openId: number | undefined }) => {
  const texts = useTexts(analystTexts)
  const [cursors, setCursors] = useState<ReadonlyArray<string | undefined>>([undefined])
  const [removedConversation, setRemovedConversation] = useState<ConversationTitle>()
  return (
    <div className="column gap-2">
      <div className={styles["new"]}>
        <Link href="/analyst" variant="block">
          <Plus aria-hidden />
          {texts.new}
        </Link>
      </div>
      {cursors.map((cursor, i) => (
        <Page
          key={cursor ?? ""}
          cursor={cursor}
          isFirst={i === 0}
          isLast={i === cursors.length - 1}
          openId={openId}
          onMore={(next) => setCursors([...cursors, next])}
          onRemove={setRemovedConversation}
        />
      ))}
      {removedConversation !== undefined && (
        <RemoveDialog
          conversation={removedConversation}
          openId={openId}
          onClose={() => setRemovedConversation(undefined)}
        />
      )}
    </div>
  )
}
