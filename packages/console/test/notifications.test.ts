import type { Notification, NotificationEvent } from "@tapeline/client"
import { describe, expect, it } from "vitest"
import {
  countUnloaded,
  emptyState,
  eventsSince,
  maxRows,
  type NotificationChange,
  type NotificationState,
  reduceNotifications,
  toastTexts
} from "../browser/app/notifications/notificationState.ts"

const row = (id: number, read = false): Notification => ({
  id,
  time: "2026-11-22T09:31:04.000Z",
  kind: "task_fired",
  title: `Task ${id}`,
  body: "BTC: price is 100,250.",
  task_id: 7,
  conversation_id: 56,
  read
})

const rang = (id: number, read = false): NotificationEvent => ({ kind: "notification", data: row(id, read), id })
const unread = (count: number, id: number): NotificationEvent => ({ kind: "unread", data: { unread: count }, id })
const after = (...changes: ReadonlyArray<NotificationChange>): NotificationState =>
  changes.reduce(reduceNotifications, emptyState)
const receive = (event: NotificationEvent): NotificationChange => ({ kind: "received", event })
const idsOf = ({ rows }: NotificationState): ReadonlyArray<number> => rows.map(({ id }) => id)

describe("The unread count", () => {
  it("starts at the service's count, and counts each new unread notification once", () => {
    const state = after(receive(unread(3, 41)), receive(rang(42)), receive(rang(42)), receive(rang(43, true)))
    expect([state.unread, idsOf(state)]).toEqual([4, [43, 42]])
  })

  it("does not count missed notifications again that arrive after the count", () => {
    const state = after(
      receive(unread(3, 41)),
      receive(unread(5, 43)),
      receive(rang(42)),
      receive(rang(43)),
      receive(rang(44))
    )
    expect([state.unread, idsOf(state)]).toEqual([6, [44, 43, 42]])
  })

  it("is the list's count plus the notifications that arrived during its request", () => {
    const listed: NotificationChange = { kind: "listed", notifications: [row(42), row(41, true)], unread: 9 }
    expect(after(receive(unread(9, 41)), receive(rang(42)), receive(rang(43)), listed).unread).toBe(10)
    // Notification 42 is already in the list and arrives again, but counts once.
    expect(after(receive(unread(8, 41)), listed, receive(rang(42))).unread).toBe(9)
  })

  it("is zero after all were marked as read, except for later notifications", () => {
    const before = [receive(unread(2, 41)), receive(rang(42))]
    const readState = after(...before, { kind: "marked", newestId: 42, marked: 3 })
    expect([readState.unread, readState.rows.map(({ read }) => read)]).toEqual([0, [true]])
    const one = after(...before, receive(rang(43)), { kind: "marked", newestId: 42, marked: 3 })
    expect([one.unread, one.rows.map(({ read }) => read)]).toEqual([1, [false, true]])
    const unreadState = after(...before, receive(rang(43)), { kind: "marked", newestId: 42, marked: 4 })
    expect([unreadState.unread, unreadState.rows.map(({ read }) => read)]).toEqual([0, [true, true]])
    // The service marked no notification, because another page had already marked all of them.
    expect(after(...before, { kind: "marked", newestId: 42, marked: 0 }).unread).toBe(0)
  })
})

it("counts the unread notifications that the panel cannot show yet", () => {
  const two = receive(unread(2, 41))
  expect(countUnloaded(after(two))).toBe(2)
  expect(countUnloaded(after(two, receive(rang(42))))).toBe(2)
  const listed: NotificationChange = { kind: "listed", notifications: [row(42), row(41), row(40)], unread: 3 }
  expect(countUnloaded(after(two, receive(rang(42)), listed))).toBe(0)
  expect(countUnloaded(emptyState)).toBe(0)
})

it("keeps the newest notifications, each in its latest state", () => {
  const manyEvents = Array.from({ length: maxRows + 5 }, (_, i) => receive(rang(i + 1)))
  const state = after(receive(unread(0, 0)), ...manyEvents, {
    kind: "listed",
    notifications: [row(25, true)],
    unread: 24
  })
  expect([state.rows.length, state.rows[0], idsOf(state).at(-1)]).toEqual([maxRows, row(25, true), 6])
})

describe("A resumed stream of notifications", () => {
  const follow = async (last: number | undefined, first: ReadonlyArray<NotificationEvent>) => {
    const opened: Array<number | undefined> = []
    const open = async function*(from: number | undefined): AsyncGenerator<NotificationEvent> {
      opened.push(from)
      yield* from === undefined ? first : [rang(42), rang(43)]
    }
    const readIds: Array<number> = []
    for await (const { id } of eventsSince(open, last)) readIds.push(id)
    return { opened, readIds: readIds }
  }

  it("returns the current count, and then the missed notifications", async () => {
    expect(await follow(41, [unread(2, 43), rang(99)])).toEqual({ opened: [undefined, 41], readIds: [43, 42, 43] })
  })

  it("continues without a replay if no notification was missed or known", async () => {
    expect(await follow(43, [unread(0, 43), rang(44)])).toEqual({ opened: [undefined], readIds: [43, 44] })
    expect(await follow(undefined, [unread(0, 43), rang(44)])).toEqual({ opened: [undefined], readIds: [43, 44] })
    // After the service's database is restored from a backup, new notifications get lower ids than before.
    expect(await follow(50, [unread(0, 43), rang(44)])).toEqual({ opened: [undefined], readIds: [43, 44] })
  })
})

it("shortens a long toast, and shows one toast for several notifications", () => {
  const pluralLabel = (count: number) => `${count} new`
  expect(toastTexts([row(1)], pluralLabel)).toEqual(["Task 1: BTC: price is 100,250."])
  expect(toastTexts([row(1), row(2), row(3)], pluralLabel)).toEqual(["3 new"])
  const [long] = toastTexts([{ ...row(1), body: "🔔".repeat(500) }], pluralLabel)
  expect([Array.from(long!).length, long!.endsWith("🔔…")]).toEqual([160, true])
  expect(toastTexts([{ ...row(1), body: "" }], pluralLabel)).toEqual(["Task 1"])
})
