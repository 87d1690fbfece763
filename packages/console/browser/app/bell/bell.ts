import type { BellEvent, Notification } from "@tapeline/client"

/** The notifications that this page has received. */
export interface Bell {
  /** The number of all unread notifications; undefined until it is known. */
  readonly unread: number | undefined
  /** The id of the newest notification that `unread` includes. */
  readonly upTo: number
  /** The received notifications, newest first. */
  readonly rows: ReadonlyArray<Notification>
  /** True once the newest notifications were requested. Before, `rows` has only those since the page was opened. */
  readonly isListed: boolean
}

export const silent: Bell = { unread: undefined, upTo: 0, rows: [], isListed: false }

/** The maximum number of rows; older notifications are dropped. */
export const shown = 20

export type Change =
  | { readonly kind: "heard"; readonly event: BellEvent }
  | { readonly kind: "listed"; readonly notifications: ReadonlyArray<Notification>; readonly unread: number }
  /** All were marked as read, when `upTo` was the newest known notification. */
  | { readonly kind: "marked"; readonly upTo: number; readonly marked: number }

/** Combines rows by id; if both lists have a row, the newer copy in `told` wins. */
const merged = (before: ReadonlyArray<Notification>, told: ReadonlyArray<Notification>): ReadonlyArray<Notification> =>
  [...new Map([...before, ...told].map((row) => [row.id, row])).values()].sort((a, b) => b.id - a.id).slice(0, shown)

const unreadAfter = (rows: ReadonlyArray<Notification>, id: number): number =>
  rows.filter((row) => row.id > id && !row.read).length

const heard = (bell: Bell, event: BellEvent): Bell => {
  if (event.kind === "unread") return { ...bell, unread: event.data.unread, upTo: event.id }
  // A newer service may send events that this page does not know.
  if (event.kind !== "notification") return bell
  const isNew = event.id > bell.upTo
  return {
    ...bell,
    unread: isNew && !event.data.read && bell.unread !== undefined ? bell.unread + 1 : bell.unread,
    upTo: Math.max(bell.upTo, event.id),
    rows: merged(bell.rows, [event.data])
  }
}

/** Returns the state after a change. */
export const changed = (bell: Bell, change: Change): Bell => {
  if (change.kind === "heard") return heard(bell, change.event)
  if (change.kind === "listed") {
    const newest = change.notifications[0]?.id ?? 0
    return {
      // Notifications that arrived while the request was running are not in its count.
      unread: change.unread + unreadAfter(bell.rows, newest),
      upTo: Math.max(bell.upTo, newest),
      rows: merged(bell.rows, change.notifications),
      isListed: true
    }
  }
  const rows = bell.rows.map((row) => row.id <= change.upTo ? { ...row, read: true } : row)
  const later = unreadAfter(rows, change.upTo)
  // Notifications may have arrived meanwhile and been marked or not. The number of marked ones decides.
  const unread = Math.max(0, Math.min((bell.unread ?? 0) - change.marked, later))
  return { ...bell, unread, rows: unread === 0 ? rows.map((row) => ({ ...row, read: true })) : rows }
}

/** The number of unread notifications that are not among the rows, because they are older and not loaded yet. */
export const unloaded = ({ rows, unread = 0 }: Bell): number => Math.max(0, unread - unreadAfter(rows, 0))

/**
 * The events of the notification stream since event `last`: the current number of unread notifications, the missed
 * events, and then live events. Only one stream is open at a time.
 */
export async function* eventsSince(
  open: (after: number | undefined) => AsyncIterable<BellEvent>,
  last: number | undefined
): AsyncGenerator<BellEvent, void, void> {
  let isBehind = false
  for await (const event of open(undefined)) {
    yield event
    // A stream that begins with the number does not send earlier notifications.
    isBehind = event.kind === "unread" && last !== undefined && event.id > last
    if (isBehind) break
  }
  if (isBehind) yield* open(last)
}

/** The maximum length of a toast, in characters. */
const longest = 160

const cut = (text: string): string => {
  const letters = Array.from(text)
  return letters.length <= longest ? text : `${letters.slice(0, longest - 1).join("").trimEnd()}…`
}

/** The toasts for notifications that arrived together: one each for up to two, otherwise one with their number. */
export const toastsOf = (rung: ReadonlyArray<Notification>, many: (count: number) => string): ReadonlyArray<string> =>
  rung.length > 2 ? [many(rung.length)] : rung.map(({ body, title }) => cut(body === "" ? title : `${title}: ${body}`))
