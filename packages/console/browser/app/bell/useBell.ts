import type { BellEvent, Client, Notification } from "@tapeline/client"
import { useCallback, useEffect, useReducer, useRef, useState, useSyncExternalStore } from "react"
import { useAccess } from "../../access/Access.tsx"
import { type Trouble, troubleOf } from "../../asking/trouble.ts"
import { useOnline } from "../../asking/useOnline.ts"
import { type Bell, type Change, changed, eventsSince, silent } from "./bell.ts"

/** The pause before a failed stream is opened again, in ms. */
const restMs = 30_000

/** Notifications that arrive within this time are announced together, in ms. */
const togetherMs = 300

const subscribe = (listener: () => void): () => void => {
  document.addEventListener("visibilitychange", listener)
  return () => document.removeEventListener("visibilitychange", listener)
}

const useIsSeen = (): boolean => useSyncExternalStore(subscribe, () => document.visibilityState === "visible")

const offline: Trouble = { kind: "offline", says: undefined, request: undefined, again: false }

/** Collects notifications and passes them on together. Those still collected when the page is left are dropped. */
const useTogether = (ring: (rung: ReadonlyArray<Notification>) => void): (one: Notification) => void => {
  const latest = useRef(ring)
  const waiting = useRef<{ readonly rows: Array<Notification>; timer: number | undefined }>({
    rows: [],
    timer: undefined
  })
  useEffect(() => {
    latest.current = ring
  }, [ring])
  useEffect(() => {
    const { current } = waiting
    return () => clearTimeout(current.timer)
  }, [])
  return useCallback((one) => {
    const { current } = waiting
    current.rows.push(one)
    clearTimeout(current.timer)
    current.timer = window.setTimeout(() => latest.current(current.rows.splice(0)), togetherMs)
  }, [])
}

const follow = async (
  client: Client,
  signal: AbortSignal,
  last: number | undefined,
  hear: (event: BellEvent) => void
): Promise<void> => {
  for await (const event of eventsSince((after) => client.notifications({ after, signal }), last)) hear(event)
}

export interface Followed {
  readonly bell: Bell
  readonly change: (change: Change) => void
  /** The reason why the stream is not open; undefined while it is. */
  readonly trouble: Trouble | undefined
}

/**
 * Follows the account's notification stream while the page is visible: browsers allow six connections to a service for
 * all tabs together. A tab that becomes visible again first receives the events that it missed. This is free.
 */
export const useBell = (ring: (rung: ReadonlyArray<Notification>) => void): Followed => {
  const { client, over } = useAccess()
  const isSeen = useIsSeen()
  const isOnline = useOnline()
  const [bell, change] = useReducer(changed, silent)
  const [trouble, setTrouble] = useState<Trouble>()
  const last = useRef<number>(undefined)
  const gather = useTogether(ring)
  const out = useRef(over)
  useEffect(() => {
    out.current = over
  }, [over])
  useEffect(() => {
    if (!isSeen || !isOnline) return
    const leaving = new AbortController()
    const { signal } = leaving
    const hear = (event: BellEvent) => {
      // An `unread` event does not advance `last`, because notifications before it may still follow.
      if (event.kind === "notification") gather(event.data)
      if (event.kind === "notification" || last.current === undefined) last.current = event.id
      setTrouble(undefined)
      change({ kind: "heard", event })
    }
    let timer: number | undefined
    const begin = () => {
      follow(client, signal, last.current, hear).catch((error: unknown) => {
        if (signal.aborted) return
        if (out.current(error)) return
        const found = troubleOf(error)
        setTrouble(found)
        if (found.again) timer = window.setTimeout(begin, restMs)
      })
    }
    begin()
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [client, gather, isOnline, isSeen])
  return { bell, change, trouble: isOnline ? trouble : offline }
}
