import { useQueryClient } from "@tanstack/react-query"
import type { Notification } from "@tapeline/client"
import { Bell as Icon } from "lucide-react"
import { Dialog, DialogTrigger, Heading, Popover } from "react-aria-components"
import { useAccess } from "../../access/Access.tsx"
import { patienceMs } from "../../asking/service.ts"
import { usageKey } from "../../asking/usageKey.ts"
import { useDo } from "../../asking/useAsk.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { taskHref } from "../../pages/tasks/links.ts"
import { Button } from "../../widgets/Button.tsx"
import { Link } from "../../widgets/parts.tsx"
import { Empty, TroubleNote } from "../../widgets/states.tsx"
import { toast } from "../../widgets/toasts.tsx"
import { useAgo } from "../../words/ago.ts"
import { useNow } from "../../words/useNow.ts"
import { useWords } from "../../words/words.ts"
import styles from "./Bell.module.css"
import { shown, toastsOf, unloaded } from "./bell.ts"
import { type Followed, useBell } from "./useBell.ts"
import { bellWords } from "./words.ts"

const Row = ({ close, now, row }: {
  readonly row: Notification
  readonly now: number
  readonly close: () => void
}) => {
  const says = useWords(bellWords)
  const ago = useAgo()
  return (
    <li className={styles["row"]}>
      <p className={styles["rowHead"]}>
        {!row.read && <span className={styles["dot"]} role="img" aria-label={says.unread} />}
        <strong>{row.title}</strong>
        <time dateTime={row.time}>{ago(row.time, now)}</time>
      </p>
      {row.body !== "" && <p className={styles["body"]}>{row.body}</p>}
      <span className={styles["ways"]} onClickCapture={close} role="presentation">
        <Link href={taskHref(row.task_id)}>{says.task}</Link>
        {row.conversation_id !== null && <Link href={`/analyst/${row.conversation_id}`}>{says.more}</Link>}
      </span>
    </li>
  )
}

/** The two calls that cost credits. Each runs when its button is pressed, and the button shows the price. */
const usePaidCalls = ({ bell, change }: Followed) => {
  const { identity } = useAccess()
  const kept = useQueryClient()
  const spent = () => void kept.invalidateQueries({ queryKey: [identity, ...usageKey] })
  const options = { timeout_ms: patienceMs }
  const list = useDo(
    async (client, top: number) => (await client.tools.get_notifications({ top }, options)).data,
    (data) => {
      change({ kind: "listed", ...data })
      spent()
    }
  )
  const mark = useDo(
    async (client, _upTo: number) => (await client.tools.mark_notifications_read({}, options)).data,
    ({ marked }, upTo) => {
      change({ kind: "marked", upTo, marked })
      spent()
    }
  )
  return {
    trouble: list.trouble ?? mark.trouble,
    isListing: list.isRunning,
    isMarking: mark.isRunning,
    list: () => {
      mark.forget()
      list.run(shown)
    },
    mark: () => {
      list.forget()
      mark.run(bell.upTo)
    }
  }
}

/** The notifications that the page knows, and how many older unread ones it does not show. */
export const Rows = ({ bell, close }: { readonly bell: Followed["bell"]; readonly close: () => void }) => {
  const says = useWords(bellWords)
  const now = useNow()
  const older = unloaded(bell)
  if (bell.rows.length === 0) {
    return (
      <Empty icon={Icon} title={older > 0 ? says.older(older) : bell.isListed ? says.none : says.noneHere}>
        {older > 0 ? says.olderMore : bell.isListed ? says.noneMore : says.noneHereMore}
      </Empty>
    )
  }
  return (
    <>
      <ul className={styles["rows"]}>
        {bell.rows.map((row) => <Row key={row.id} row={row} now={now} close={close} />)}
      </ul>
      {older > 0 && <p className={styles["older"]}>{says.older(older)}</p>}
    </>
  )
}

const Opened = ({ close, followed }: { readonly followed: Followed; readonly close: () => void }) => {
  const says = useWords(bellWords)
  const prices = usePrices()
  const calls = usePaidCalls(followed)
  const { bell, trouble } = followed
  const listPrice = prices.get("get_notifications")
  const markPrice = prices.get("mark_notifications_read")
  return (
    <>
      <Heading slot="title" level={2} className={styles["title"]!}>{says.title}</Heading>
      {trouble !== undefined && <TroubleNote trouble={trouble} />}
      {calls.trouble !== undefined && <TroubleNote trouble={calls.trouble} />}
      <Rows bell={bell} close={close} />
      <div className={styles["actions"]}>
        <span onClickCapture={close} role="presentation">
          <Link href="/tasks">{says.tasks}</Link>
        </span>
        {listPrice !== undefined && (
          <Button isBusy={calls.isListing} onPress={calls.list}>
            {bell.isListed ? says.anew(listPrice) : says.list(shown, listPrice)}
          </Button>
        )}
        {markPrice !== undefined && (bell.unread ?? 0) > 0 && (
          <Button isBusy={calls.isMarking} onPress={calls.mark}>{says.mark(markPrice)}</Button>
        )}
      </div>
    </>
  )
}

/** The notification panel: the number of unread notifications, the newest ones, and a toast for each new one. */
export const Bell = () => {
  const says = useWords(bellWords)
  const followed = useBell((rung) => {
    for (const text of toastsOf(rung, says.many)) toast(text)
  })
  // A service without tasks has no notifications.
  if (followed.trouble?.kind === "not there") return null
  const unread = followed.bell.unread ?? 0
  return (
    <DialogTrigger>
      <Button look="quiet" aria-label={says.button(unread)}>
        <Icon aria-hidden />
        {unread > 0 && <span className={styles["count"]}>{unread > 99 ? "99+" : unread}</span>}
      </Button>
      <Popover className={styles["popover"]!} placement="bottom end">
        <Dialog className={styles["box"]!}>{({ close }) => <Opened followed={followed} close={close} />}</Dialog>
      </Popover>
    </DialogTrigger>
  )
}
