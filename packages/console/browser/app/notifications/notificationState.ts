import type { Notification, NotificationEvent } from "@tapeline/client"

/** The notifications that this page has received. */
export interface NotificationState {
  /** The number of all unread notifications; undefined until it is known. */
  readonly unread: number | undefined
  /** The id of the newest notification that `unread` includes. */
  readonly newestId: number
  /** The received notifications, newest first. */
  readonly rows: ReadonlyArray<Notification>
  /** True once the newest notifications were requested. Before, `rows` has only those since the page was opened. */
  readonly isListed: boolean
}

export const emptyState: NotificationState = { unread: undefined, newestId: 0, rows: [], isListed: false }

/** The maximum number of rows; older notifications are dropped. */
export const maxRows = 20

export type NotificationChange =
  | { readonly kind: "heard"; readonly event: NotificationEvent }
  | { readonly kind: "listed"; readonly notifications: ReadonlyArray<Notification>; readonly unread: number }
  /** All were marked as read, when `newestId` was the newest known notification. */
  | { readonly kind: "marked"; readonly newestId: number; readonly marked: number }

/** Combines rows by id; if both lists have a row, the newer copy in `newer` wins. */
const mergeRows = (
  before: ReadonlyArray<Notification>,
  newer: ReadonlyArray<Notification>
): ReadonlyArray<Notification> =>
  [...new Map([...before, ...newer].map((row) => [row.id, row])).values()].sort((a, b) => b.id - a.id).slice(0, maxRows)

const countUnreadAfter = (rows: ReadonlyArray<Notification>, id: number): number =>
  rows.filter((row) => row.id > id && !row.read).length

const applyEvent = (state: NotificationState, event: NotificationEvent): NotificationState => {
  if (event.kind === "unread") return { ...state, unread: event.data.unread, newestId: event.id }
  // A newer service may send events that this page does not know.
  if (event.kind !== "notification") return state
  const isNew = event.id > state.newestId
  return {
    ...state,
    unread: isNew && !event.data.read && state.unread !== undefined ? state.unread + 1 : state.unread,
    newestId: Math.max(state.newestId, event.id),
    rows: mergeRows(state.rows, [event.data])
  }
}

/** Returns the state after a change. */
export const reduceNotifications = (state: NotificationState, change: NotificationChange): NotificationState => {
  if (change.kind === "heard") return applyEvent(state, change.event)
  if (change.kind === "listed") {
    const newest = change.notifications[0]?.id ?? 0
    return {
      // Notifications that arrived while the request was running are not in its count.
      unread: change.unread + countUnreadAfter(state.rows, newest),
      newestId: Math.max(state.newestId, newest),
      rows: mergeRows(state.rows, change.notifications),
      isListed: true
    }
  }
  const rows = state.rows.map((row) => row.id <= change.newestId ? { ...row, read: true } : row)
  const later = countUnreadAfter(rows, change.newestId)
  // Notifications may have arrived meanwhile and been marked or not. The number of marked ones decides.
  const unread = Math.max(0, Math.min((state.unread ?? 0) - change.marked, later))
  return { ...state, unread, rows: unread === 0 ? rows.map((row) => ({ ...row, read: true })) : rows }
}

/** The number of unread notifications that are not among the rows, because they are older and not loaded yet. */
export const countUnloaded = ({ rows, unread = 0 }: NotificationState): number =>
  Math.max(0, unread - countUnreadAfter(rows, 0))

/**
 * The events of the notification stream since event `lastId`: the current number of unread notifications, the missed
 * events, and then live events. Only one stream is open at a time.
 */
export async function* eventsSince(
  openStream: (after: number | undefined) => AsyncIterable<NotificationEvent>,
  lastId: number | undefined
): AsyncGenerator<NotificationEvent, void, void> {
  let hasMissedEvents = false
  for await (const event of openStream(undefined)) {
    yield event
    // A stream that begins with the number does not send earlier notifications.
    hasMissedEvents = event.kind === "unread" && lastId !== undefined && event.id > lastId
    if (hasMissedEvents) break
  }
  if (hasMissedEvents) yield* openStream(lastId)
}

/** The maximum length of a toast, in characters. */
const maxToastLength = 160

const truncate = (text: string): string => {
  const letters = Array.from(text)
  return letters.length <= maxToastLength ? text : `${letters.slice(0, maxToastLength - 1).join("").trimEnd()}…`
}

/** The toasts for notifications that arrived together: one each for up to two, otherwise one with their number. */
export const toastTexts = (
  newNotifications: ReadonlyArray<Notification>,
  formatCount: (count: number) => string
): ReadonlyArray<string> =>
  newNotifications.length > 2
    ? [formatCount(newNotifications.length)]
    : newNotifications.map(({ body, title }) => truncate(body === "" ? title : `${title}: ${body}`))
