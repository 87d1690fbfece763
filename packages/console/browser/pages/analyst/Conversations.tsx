import { useQueryClient } from "@tanstack/react-query"
import { MessagesSquare, Plus, Trash2 } from "lucide-react"
import { useState } from "react"
import { Button as Pressed } from "react-aria-components"
import { useAccess } from "../../access/Access.tsx"
import { useAsk, useDo } from "../../asking/useAsk.ts"
import { navigate } from "../../router/location.ts"
import { filled } from "../../router/route.ts"
import { Button } from "../../widgets/Button.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import { Link } from "../../widgets/parts.tsx"
import { Empty, Skeleton, TroubleNote } from "../../widgets/states.tsx"
import { toast } from "../../widgets/toasts.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import styles from "./Conversations.module.css"
import { listKey } from "./useDesk.ts"
import { analystWords } from "./words.ts"

interface Named {
  readonly id: number
  readonly title: string
}

const perPage = 40

const pathOf = (id: number): string => filled("/analyst/:conversation", { conversation: String(id) })

/** Asks for confirmation before a conversation and its messages are removed. */
const Removing = ({ conversation, onClose, open }: {
  readonly conversation: Named
  readonly open: number | undefined
  readonly onClose: () => void
}) => {
  const says = useWords(analystWords)
  const { identity } = useAccess()
  const kept = useQueryClient()
  const removing = useDo(
    async (client, { id }: Named) => client.conversations.remove(id),
    (_, { id }) => {
      void kept.invalidateQueries({ queryKey: [identity, ...listKey] })
      toast(says.removed)
      onClose()
      if (id === open) navigate("/analyst", { replace: true })
    }
  )
  return (
    <Dialog title={says.remove} isOpen onClose={onClose}>
      <p>{says.removeMore(conversation.title)}</p>
      {removing.trouble !== undefined && <TroubleNote trouble={removing.trouble} />}
      <DialogActions>
        <Button onPress={onClose}>{says.keep}</Button>
        <Button look="danger" isBusy={removing.isRunning} onPress={() => removing.run(conversation)}>
          {says.removeDo}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** One page of the list; the last one loads the next. */
const Page = ({ cursor, isFirst, isLast, onMore, onRemove, open }: {
  readonly cursor: string | undefined
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly open: number | undefined
  readonly onMore: (cursor: string) => void
  readonly onRemove: (conversation: Named) => void
}) => {
  const says = useWords(analystWords)
  const { time } = useNumbers()
  const page = useAsk(
    [...listKey, cursor ?? ""],
    (client, options) => client.conversations.list({ limit: perPage, cursor }, options)
  )
  return (
    <Told of={page} waiting={<Skeleton lines={isFirst ? 6 : 3} />}>
      {({ conversations, next_cursor: next }) =>
        isFirst && conversations.length === 0
          ? <Empty icon={MessagesSquare} title={says.none} />
          : (
            <>
              <ul className={styles["list"]}>
                {conversations.map(({ id, running, title, updated_at: at }) => (
                  <li key={id} className={`${styles["entry"]} ${id === open ? styles["open"] : ""}`}>
                    <span className={styles["link"]} {...(id === open ? { "aria-current": "page" } : {})}>
                      <Link href={pathOf(id)} look="block">
                        <span className={styles["title"]}>{title}</span>
                        <span className={styles["at"]}>{running ? says.isRunning : time(at)}</span>
                      </Link>
                    </span>
                    <Pressed
                      className={styles["remove"]!}
                      aria-label={says.removeNamed(title)}
                      onPress={() =>
                        onRemove({ id, title })}
                    >
                      <Trash2 aria-hidden />
                    </Pressed>
                  </li>
                ))}
              </ul>
              {isLast && next !== null && <Button look="quiet" onPress={() => onMore(next)}>{says.older}</Button>}
            </>
          )}
    </Told>
  )
}

/** The account's conversations, the most recently used first. */
export const Conversations = ({ open }: { readonly open: number | undefined }) => {
  const says = useWords(analystWords)
  const [cursors, setCursors] = useState<ReadonlyArray<string | undefined>>([undefined])
  const [removed, setRemoved] = useState<Named>()
  return (
    <div className={styles["conversations"]}>
      <div className={styles["new"]}>
        <Link href="/analyst" look="block">
          <Plus aria-hidden />
          {says.new}
        </Link>
      </div>
      {cursors.map((cursor, i) => (
        <Page
          key={cursor ?? ""}
          cursor={cursor}
          isFirst={i === 0}
          isLast={i === cursors.length - 1}
          open={open}
          onMore={(next) => setCursors([...cursors, next])}
          onRemove={setRemoved}
        />
      ))}
      {removed !== undefined && <Removing conversation={removed} open={open} onClose={() => setRemoved(undefined)} />}
    </div>
  )
}
