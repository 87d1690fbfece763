import type { BellEvent, Notification } from "@tapeline/client"

/** What this page knows of the bell. */
export interface Bell {
  /** How many are unread in all; undefined until it is known. */
  readonly unread: number | undefined
  /** The id up to which `unread` counts. */
  readonly upTo: number
  /** What is known, the newest first. */
  readonly rows: ReadonlyArray<Notification>
  /** True once the newest were asked for; before, there is only what rang since the page was opened. */
  readonly isListed: boolean
}

export const silent: Bell = { unread: undefined, upTo: 0, rows: [], isListed: false }

/** So many notifications are shown; older ones go. */
export const shown = 20

export type Change =
  | { readonly kind: "heard"; readonly event: BellEvent }
  | { readonly kind: "listed"; readonly notifications: ReadonlyArray<Notification>; readonly unread: number }
  /** All were marked as read, when `upTo` was the newest that was known. */
  | { readonly kind: "marked"; readonly upTo: number; readonly marked: number }

/** Rows that are known, each once: of two the one that was told later. */
const merged = (before: ReadonlyArray<Notification>, told: ReadonlyArray<Notification>): ReadonlyArray<Notification> =>
  [...new Map([...before, ...told].map((row) => [row.id, row])).values()].sort((a, b) => b.id - a.id).slice(0, shown)

const unreadAfter = (rows: ReadonlyArray<Notification>, id: number): number =>
  rows.filter((row) => row.id > id && !row.read).length

const heard = (bell: Bell, event: BellEvent): Bell => {
  if (event.kind === "unread") return { ...bell, unread: event.data.unread, upTo: event.id }
  // A newer service may tell more than this page knows.
  if (event.kind !== "notification") return bell
  const isNew = event.id > bell.upTo
  return {
    ...bell,
    unread: isNew && !event.data.read && bell.unread !== undefined ? bell.unread + 1 : bell.unread,
    upTo: Math.max(bell.upTo, event.id),
    rows: merged(bell.rows, [event.data])
  }
}

/** What the page knows once something more was told. */
export const changed = (bell: Bell, change: Change): Bell => {
  if (change.kind === "heard") return heard(bell, change.event)
  if (change.kind === "listed") {
    const newest = change.notifications[0]?.id ?? 0
    return {
      // What rang while the answer was on its way is not counted in it.
      unread: change.unread + unreadAfter(bell.rows, newest),
      upTo: Math.max(bell.upTo, newest),
      rows: merged(bell.rows, change.notifications),
      isListed: true
    }
  }
  const rows = bell.rows.map((row) => row.id <= change.upTo ? { ...row, read: true } : row)
  const later = unreadAfter(rows, change.upTo)
  // What rang meanwhile was marked as well, or was not: the number that was marked tells.
  const unread = Math.max(0, Math.min((bell.unread ?? 0) - change.marked, later))
  return { ...bell, unread, rows: unread === 0 ? rows.map((row) => ({ ...row, read: true })) : rows }
}

/** How many unread notifications are not among the rows, because they are older than the page and not loaded yet. */
export const unloaded = ({ rows, unread = 0 }: Bell): number => Math.max(0, unread - unreadAfter(rows, 0))

/**
 * What a bell tells whose events up to `last` are known already: how many are unread as it stands now, what rang since
 * `last`, and then what rings. One stream is open at a time.
 */
export async function* eventsSince(
  open: (after: number | undefined) => AsyncIterable<BellEvent>,
  last: number | undefined
): AsyncGenerator<BellEvent, void, void> {
  let isBehind = false
  for await (const event of open(undefined)) {
    yield event
    // A stream that begins with the number tells nothing that rang before it.
    isBehind = event.kind === "unread" && last !== undefined && event.id > last
    if (isBehind) break
  }
  if (isBehind) yield* open(last)
}

/** A toast is no page. */
const longest = 160

const cut = (text: string): string => {
  const letters = Array.from(text)
  return letters.length <= longest ? text : `${letters.slice(0, longest - 1).join("").trimEnd()}…`
}

/** What is said of notifications that rang together: of two each, of more how many. */
export const toastsOf = (rung: ReadonlyArray<Notification>, many: (count: number) => string): ReadonlyArray<string> =>
  rung.length > 2 ? [many(rung.length)] : rung.map(({ body, title }) => cut(body === "" ? title : `${title}: ${body}`))
