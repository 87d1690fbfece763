import type { Client, Notification, NotificationEvent } from "@tapeline/client"
import { useCallback, useEffect, useReducer, useRef, useState, useSyncExternalStore } from "react"
import { useAccess } from "../../access/Access.tsx"
import { useIsOnline } from "../../requests/connectivity.ts"
import { type Problem, toProblem } from "../../requests/problem.ts"
import {
  emptyState,
  eventsSince,
  type NotificationChange,
  type NotificationState,
  reduceNotifications
} from "./notificationState.ts"

const retryDelayMs = 30_000

/** The time within which successive notifications are announced together, in ms. */
const groupingMs = 300

const subscribe = (listener: () => void): () => void => {
  document.addEventListener("visibilitychange", listener)
  return () => document.removeEventListener("visibilitychange", listener)
}

const useIsPageVisible = (): boolean =>
  useSyncExternalStore(subscribe, () => document.visibilityState === "visible", () => true)

const offlineProblem: Problem = { kind: "offline", message: undefined, requestId: undefined, isRetryable: false }

/** Groups notifications that arrive shortly after each other, and passes each group to `onNotifications`. */
const useGrouped = (
  onNotifications: (notifications: ReadonlyArray<Notification>) => void
): (notification: Notification) => void => {
  const latest = useRef(onNotifications)
  const pending = useRef<{ readonly rows: Array<Notification>; timer: number | undefined }>({
    rows: [],
    timer: undefined
  })
  useEffect(() => {
    latest.current = onNotifications
  }, [onNotifications])
  useEffect(() => {
    const { current } = pending
    return () => clearTimeout(current.timer)
  }, [])
  return useCallback((notification) => {
    const { current } = pending
    current.rows.push(notification)
    clearTimeout(current.timer)
    current.timer = window.setTimeout(() => latest.current(current.rows.splice(0)), groupingMs)
  }, [])
}

const followStream = async (
  client: Client,
  signal: AbortSignal,
  lastId: number | undefined,
  onEvent: (event: NotificationEvent) => void
): Promise<void> => {
  for await (const event of eventsSince((after) => client.notifications({ after, signal }), lastId)) onEvent(event)
}

export interface NotificationFeed {
  readonly state: NotificationState
  readonly dispatch: (dispatch: NotificationChange) => void
  /** The reason why the notification stream is not open; undefined while the stream is open. */
  readonly problem: Problem | undefined
}

/**
 * Reads the account's notification stream while the page is visible. Hidden pages do not read the stream, because all
 * tabs of a browser share six connections to the service.
 */
export const useNotifications = (
  onNotifications: (notifications: ReadonlyArray<Notification>) => void
): NotificationFeed => {
  const { client, endIfSignedOut } = useAccess()
  const isVisible = useIsPageVisible()
  const isOnline = useIsOnline()
  const [state, dispatch] = useReducer(reduceNotifications, emptyState)
  const [problem, setProblem] = useState<Problem>()
  const lastId = useRef<number>(undefined)
  const group = useGrouped(onNotifications)
  const endIfSignedOutRef = useRef(endIfSignedOut)
  useEffect(() => {
    endIfSignedOutRef.current = endIfSignedOut
  }, [endIfSignedOut])
  useEffect(() => {
    if (!isVisible || !isOnline) return
    const controller = new AbortController()
    const { signal } = controller
    const onEvent = (event: NotificationEvent) => {
      // An event of kind `unread` does not change a known `lastId`, because notifications with lower ids may still
      // follow.
      if (event.kind === "notification") group(event.data)
      if (event.kind === "notification" || lastId.current === undefined) lastId.current = event.id
      setProblem(undefined)
      dispatch({ kind: "received", event })
    }
    let timer: number | undefined
    const openStream = () => {
      followStream(client, signal, lastId.current, onEvent).catch((error: unknown) => {
        if (signal.aborted) return
        if (endIfSignedOutRef.current(error)) return
        const streamProblem = toProblem(error)
        setProblem(streamProblem)
        if (streamProblem.isRetryable) timer = window.setTimeout(openStream, retryDelayMs)
      })
    }
    openStream()
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [client, group, isOnline, isVisible])
  return { state, dispatch, problem: isOnline ? problem : offlineProblem }
}
