import { useQueryClient } from "@tanstack/react-query"
import type { Notification } from "@tapeline/client"
import { Bell as Icon } from "lucide-react"
import { Dialog, DialogTrigger, Heading, Popover } from "react-aria-components"
import { useAccess } from "../../access/Access.tsx"
import { useNow } from "../../i18n/clock.ts"
import { useRelativeTime } from "../../i18n/relativeTime.ts"
import { useTexts } from "../../i18n/texts.ts"
import { taskHref } from "../../pages/tasks/links.ts"
import { usePrices } from "../../requests/catalogue.ts"
import { requestTimeoutMs } from "../../requests/makeClient.ts"
import { usageKey } from "../../requests/sharedRequests.ts"
import { useAction } from "../../requests/useRequest.ts"
import { Button } from "../../widgets/Button.tsx"
import { Link } from "../../widgets/layout.tsx"
import { EmptyState, ProblemNote } from "../../widgets/states.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import styles from "./NotificationPanel.module.css"
import { countUnloaded, maxRows, toastTexts } from "./notificationState.ts"
import { notificationTexts } from "./texts.ts"
import { type NotificationFeed, useNotifications } from "./useNotifications.ts"

const NotificationRow = ({ close, now, row }: {
  readonly row: Notification
  readonly now: number
  readonly close: () => void
}) => {
  const texts = useTexts(notificationTexts)
  const ago = useRelativeTime()
  return (
    <li className={styles["row"]}>
      <p className={styles["rowHead"]}>
        {!row.read && <span className={styles["dot"]} role="img" aria-label={texts.unread} />}
        <strong>{row.title}</strong>
        <time dateTime={row.time}>{ago(row.time, now)}</time>
      </p>
      {row.body !== "" && <p className={styles["body"]}>{row.body}</p>}
      <span className="row wrap gap-x-4" onClickCapture={close} role="presentation">
        <Link href={taskHref(row.task_id)}>{texts.task}</Link>
        {row.conversation_id !== null && <Link href={`/analyst/${row.conversation_id}`}>{texts.more}</Link>}
      </span>
    </li>
  )
}

/** Returns the two actions that cost credits: listing the notifications, and marking all notifications as read. */
const usePaidActions = ({ state, dispatch }: NotificationFeed) => {
  const { identity } = useAccess()
  const queryClient = useQueryClient()
  const invalidateUsage = () => void queryClient.invalidateQueries({ queryKey: [identity, ...usageKey] })
  const options = { timeout_ms: requestTimeoutMs }
  const list = useAction(
    async (client, top: number) => (await client.tools.get_notifications({ top }, options)).data,
    (data) => {
      dispatch({ kind: "listed", ...data })
      invalidateUsage()
    }
  )
  const markRead = useAction(
    async (client, _upTo: number) => (await client.tools.mark_notifications_read({}, options)).data,
    ({ marked }, newestId) => {
      dispatch({ kind: "marked", newestId, marked })
      invalidateUsage()
    }
  )
  return {
    trouble: list.problem ?? markRead.problem,
    isListing: list.isRunning,
    isMarking: markRead.isRunning,
    list: () => {
      markRead.reset()
      list.run(maxRows)
    },
    mark: () => {
      list.reset()
      markRead.run(state.newestId)
    }
  }
}

export const NotificationList = (
  { notifications, close }: { readonly notifications: NotificationFeed["state"]; readonly close: () => void }
) => {
  const texts = useTexts(notificationTexts)
  const now = useNow()
  const olderCount = countUnloaded(notifications)
  if (notifications.rows.length === 0) {
    return (
      <EmptyState
        icon={Icon}
        title={olderCount > 0 ? texts.older(olderCount) : notifications.isListed ? texts.none : texts.noneHere}
      >
        {olderCount > 0 ? texts.olderDetail : notifications.isListed ? texts.noneDetail : texts.noneHereDetail}
      </EmptyState>
    )
  }
  return (
    <>
      <ul>
        {notifications.rows.map((row) => <NotificationRow key={row.id} row={row} now={now} close={close} />)}
      </ul>
      {olderCount > 0 && <p className="soft small">{texts.older(olderCount)}</p>}
    </>
  )
}

const PanelContent = ({ close, feed }: { readonly feed: NotificationFeed; readonly close: () => void }) => {
  const texts = useTexts(notificationTexts)
  const prices = usePrices()
  const actions = usePaidActions(feed)
  const { state, problem } = feed
  const listPrice = prices.get("get_notifications")
  const markPrice = prices.get("mark_notifications_read")
  return (
    <>
      <Heading slot="title" level={2}>{texts.title}</Heading>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {actions.trouble !== undefined && <ProblemNote problem={actions.trouble} />}
      <NotificationList notifications={state} close={close} />
      <div className="row wrap gap-2">
        <span onClickCapture={close} role="presentation">
          <Link href="/tasks">{texts.tasks}</Link>
        </span>
        {listPrice !== undefined && (
          <Button isBusy={actions.isListing} onPress={actions.list}>
            {state.isListed ? texts.reload(listPrice) : texts.list(maxRows, listPrice)}
          </Button>
        )}
        {markPrice !== undefined && (state.unread ?? 0) > 0 && (
          <Button isBusy={actions.isMarking} onPress={actions.mark}>{texts.markRead(markPrice)}</Button>
        )}
      </div>
    </>
  )
}

/** The button with the number of unread notifications, and a panel with the newest notifications. */
export const NotificationPanel = () => {
  const texts = useTexts(notificationTexts)
  const feed = useNotifications((newNotifications) => {
    for (const text of toastTexts(newNotifications, texts.newCount)) showToast(text)
  })
  // A service that is configured without tasks has no notifications, so the page shows no notification button.
  if (feed.problem?.kind === "not there") return null
  const unread = feed.state.unread ?? 0
  return (
    <DialogTrigger>
      <Button variant="quiet" aria-label={texts.button(unread)}>
        <Icon aria-hidden />
        {unread > 0 && <span className={styles["count"]}>{unread > 99 ? "99+" : unread}</span>}
      </Button>
      <Popover className={`popover ${styles["popover"]}`} placement="bottom end">
        <Dialog className={styles["box"]!}>{({ close }) => <PanelContent feed={feed} close={close} />}</Dialog>
      </Popover>
    </DialogTrigger>
  )
}
