import type { Notification, NotificationEvent } from "@tapeline/client"

export interface NotificationState {
  /** The number of all unread notifications of the account; undefined until known. */
  readonly unread: number | undefined
  /** The id of the newest notification that the number of unread notifications includes. */
  readonly newestId: number
  readonly rows: ReadonlyArray<Notification>
  /**
   * Whether the newest notifications were requested; if not, `rows` contains only notifications that arrived since the
   * page was opened.
   */
  readonly isListed: boolean
}

export const emptyState: NotificationState = { unread: undefined, newestId: 0, rows: [], isListed: false }

export const maxRows = 20

export type NotificationChange =
  | { readonly kind: "received"; readonly event: NotificationEvent }
  | { readonly kind: "listed"; readonly notifications: ReadonlyArray<Notification>; readonly unread: number }
  /**
   * The service marked all notifications up to `newestId` as read. `newestId` was the newest known notification at the
   * time of the request.
   */
  | { readonly kind: "marked"; readonly newestId: number; readonly marked: number }

/** Merges two lists of notifications by id, preferring `newer` for a notification in both lists. */
const mergeRows = (
  before: ReadonlyArray<Notification>,
  newer: ReadonlyArray<Notification>
): ReadonlyArray<Notification> =>
  [...new Map([...before, ...newer].map((row) => [row.id, row])).values()].sort((a, b) => b.id - a.id).slice(0, maxRows)

const countUnreadAfter = (rows: ReadonlyArray<Notification>, id: number): number =>
  rows.filter((row) => row.id > id && !row.read).length

const applyEvent = (state: NotificationState, event: NotificationEvent): NotificationState => {
  if (event.kind === "unread") return { ...state, unread: event.data.unread, newestId: event.id }
  // A service that is newer than the page may send kinds of events that the page does not know.
  if (event.kind !== "notification") return state
  const isNew = event.id > state.newestId
  return {
    ...state,
    unread: isNew && !event.data.read && state.unread !== undefined ? state.unread + 1 : state.unread,
    newestId: Math.max(state.newestId, event.id),
    rows: mergeRows(state.rows, [event.data])
  }
}

export const reduceNotifications = (state: NotificationState, change: NotificationChange): NotificationState => {
  if (change.kind === "received") return applyEvent(state, change.event)
  if (change.kind === "listed") {
    const newest = change.notifications[0]?.id ?? 0
    return {
      // The list's `unread` number does not include notifications that arrived while the list was being requested.
      unread: change.unread + countUnreadAfter(state.rows, newest),
      newestId: Math.max(state.newestId, newest),
      rows: mergeRows(state.rows, change.notifications),
      isListed: true
    }
  }
  const rows = state.rows.map((row) => row.id <= change.newestId ? { ...row, read: true } : row)
  const later = countUnreadAfter(rows, change.newestId)
  // The service's number of marked notifications shows whether notifications that arrived during the request were
  // marked.
  const unread = Math.max(0, Math.min((state.unread ?? 0) - change.marked, later))
  return { ...state, unread, rows: unread === 0 ? rows.map((row) => ({ ...row, read: true })) : rows }
}

/** Returns the number of unread notifications that are older than the loaded notifications in `rows`. */
export const countUnloaded = ({ rows, unread = 0 }: NotificationState): number =>
  Math.max(0, unread - countUnreadAfter(rows, 0))

/** Yields the number of unread notifications, then the notifications after `lastId`, then new notifications. */
export async function* eventsSince(
  openStream: (after: number | undefined) => AsyncIterable<NotificationEvent>,
  lastId: number | undefined
): AsyncGenerator<NotificationEvent, void, void> {
  let hasMissedEvents = false
  for await (const event of openStream(undefined)) {
    yield event
    // If the stream begins with the number of unread notifications, the stream does not send earlier notifications.
    hasMissedEvents = event.kind === "unread" && lastId !== undefined && event.id > lastId
    if (hasMissedEvents) break
  }
  if (hasMissedEvents) yield* openStream(lastId)
}

const maxToastLength = 160

const truncate = (text: string): string => {
  const letters = Array.from(text)
  return letters.length <= maxToastLength ? text : `${letters.slice(0, maxToastLength - 1).join("").trimEnd()}…`
}

/**
 * Returns the texts of toasts for notifications that arrived together. Up to two notifications get one text each, and
 * more notifications get one text with their number.
 */
export const toastTexts = (
  newNotifications: ReadonlyArray<Notification>,
  formatCount: (count: number) => string
): ReadonlyArray<string> =>
  newNotifications.length > 2
    ? [formatCount(newNotifications.length)]
    : newNotifications.map(({ body, title }) => truncate(body === "" ? title : `${title}: ${body}`))
