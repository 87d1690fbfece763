import { useMutation, useQuery } from "@tanstack/react-query"
import type { Client } from "@tapeline/client"
import { useAccess } from "../access/Access.tsx"
import { patienceMs } from "./service.ts"
import { type Trouble, troubleOf } from "./trouble.ts"
import { usePresence } from "./usePresence.ts"

/** The state of a request. Earlier data stays visible while it is requested again, also if the new request fails. */
export type Asked<A> =
  | { readonly state: "waiting" }
  | { readonly state: "trouble"; readonly trouble: Trouble; readonly again: () => void }
  | {
    readonly state: "told"
    readonly data: A
    readonly isAsking: boolean
    /** The error of the last refresh; undefined if it succeeded. */
    readonly trouble: Trouble | undefined
    readonly again: () => void
  }

interface AskOptions {
  /** Repeats the request after this time, in ms, while the page is visible and a person is present. */
  readonly everyMs?: number | undefined
  /** How long a response counts as fresh, in ms; 10 s by default. */
  readonly freshMs?: number | undefined
  /** True to send no request yet. */
  readonly isIdle?: boolean | undefined
}

const offline: Trouble = { kind: "offline", says: undefined, request: undefined, again: true }

/**
 * Requests data for a page. `key` identifies the request with all its arguments. Pages with the same key share the
 * response.
 */
export const useAsk = <A>(
  key: ReadonlyArray<unknown>,
  ask: (client: Client, options: { readonly signal: AbortSignal; readonly timeout_ms: number }) => Promise<A>,
  options: AskOptions = {}
): Asked<A> => {
  const { client, identity, over } = useAccess()
  const isThere = usePresence()
  const { everyMs, freshMs = 10_000, isIdle = false } = options
  const { data, error, fetchStatus, isFetching, isSuccess, refetch } = useQuery({
    queryKey: [identity, ...key],
    queryFn: async ({ signal }) => {
      try {
        return await ask(client, { signal, timeout_ms: patienceMs })
      } catch (error) {
        over(error)
        throw error
      }
    },
    enabled: !isIdle,
    staleTime: freshMs,
    refetchInterval: isThere && everyMs !== undefined ? everyMs : false
  })
  const again = () => void refetch()
  const trouble = error !== null ? troubleOf(error) : fetchStatus === "paused" ? offline : undefined
  // After a failed refresh, the earlier data is still shown.
  if (isSuccess || data !== undefined) return { state: "told", data: data as A, isAsking: isFetching, trouble, again }
  return trouble === undefined ? { state: "waiting" } : { state: "trouble", trouble, again }
}

/** An action that runs on demand, such as that of a button. */
export interface Doing<Input, A> {
  readonly run: (input: Input) => void
  readonly isRunning: boolean
  readonly result: A | undefined
  readonly trouble: Trouble | undefined
  readonly forget: () => void
}

/** Sends one request each time that `run` is called. `done` receives its result. */
export const useDo = <Input, A>(
  act: (client: Client, input: Input) => Promise<A>,
  done?: (result: A, input: Input) => void
): Doing<Input, A> => {
  const { client, over } = useAccess()
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: (input: Input) => act(client, input),
    onSuccess: (result, input) => done?.(result, input),
    onError: over,
    // Runs and fails immediately, also without a network.
    networkMode: "always"
  })
  return {
    run: mutate,
    isRunning: isPending,
    result: data,
    trouble: error === null ? undefined : troubleOf(error),
    forget: reset
  }
}
