import { useMutation, useQuery } from "@tanstack/react-query"
import type { Client } from "@tapeline/client"
import { useAccess } from "../access/Access.tsx"
import { patienceMs } from "./service.ts"
import { type Trouble, troubleOf } from "./trouble.ts"
import { usePresence } from "./usePresence.ts"

/** How what a page asks for stands. What was told before is shown on while it is asked again, also when that fails. */
export type Asked<A> =
  | { readonly state: "waiting" }
  | { readonly state: "trouble"; readonly trouble: Trouble; readonly again: () => void }
  | {
    readonly state: "told"
    readonly data: A
    readonly isAsking: boolean
    /** Why it could not be asked again, where it could not. */
    readonly trouble: Trouble | undefined
    readonly again: () => void
  }

interface AskOptions {
  /** Asks again after so many ms, for as long as the page is looked at and somebody is there. */
  readonly everyMs?: number | undefined
  /** So many ms what was told counts as new: 10 s when left out. */
  readonly freshMs?: number | undefined
  /** Asks nothing yet. */
  readonly isIdle?: boolean | undefined
}

const offline: Trouble = { kind: "offline", says: undefined, request: undefined, again: true }

/**
 * Asks the service for what a page shows. `key` names what is asked, all its arguments included: pages that ask for the
 * same share the answer.
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
  // What it told before is still there when it could not be asked again.
  if (isSuccess || data !== undefined) return { state: "told", data: data as A, isAsking: isFetching, trouble, again }
  return trouble === undefined ? { state: "waiting" } : { state: "trouble", trouble, again }
}

/** Something that is done when it is asked for: a button's work. */
export interface Doing<Input, A> {
  readonly run: (input: Input) => void
  readonly isRunning: boolean
  readonly result: A | undefined
  readonly trouble: Trouble | undefined
  readonly forget: () => void
}

/** Does something at the service, once each time that it is run; `done` is told what came of it. */
export const useDo = <Input, A>(
  act: (client: Client, input: Input) => Promise<A>,
  done?: (result: A, input: Input) => void
): Doing<Input, A> => {
  const { client, over } = useAccess()
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: (input: Input) => act(client, input),
    onSuccess: (result, input) => done?.(result, input),
    onError: over,
    // It is asked at once and told at once, also that there is no network.
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
