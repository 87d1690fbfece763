import { useMutation, useQuery } from "@tanstack/react-query"
import type { Client } from "@tapeline/client"
import { useAccess } from "../access/Access.tsx"
import { useIsPresent } from "./connectivity.ts"
import type { EarlyResponses } from "./EarlyResponses.ts"
import { requestTimeoutMs } from "./makeClient.ts"
import { type Problem, toProblem } from "./problem.ts"

/** The state of a request. Earlier data stays visible while a refresh is running and after a refresh has failed. */
export type RequestState<A> =
  | { readonly state: "waiting" }
  | { readonly state: "failed"; readonly problem: Problem; readonly refresh: () => void }
  | {
    readonly state: "loaded"
    readonly data: A
    readonly isFetching: boolean
    readonly problem: Problem | undefined
    readonly refresh: () => void
  }

export interface RequestOptions {
  /** The interval at which the request is repeated while the page is visible and a person is present, in ms. */
  readonly refreshMs?: number | undefined
  /** The time for which a response counts as fresh, in ms; 10 s by default. */
  readonly freshMs?: number | undefined
  readonly isDisabled?: boolean | undefined
}

const offlineProblem: Problem = { kind: "offline", message: undefined, requestId: undefined, isRetryable: true }

/** The client of a page's requests, and the sign-in that the requests depend on. */
export interface RequestAccess<C> {
  readonly client: C
  /** A value that changes with each sign-in, so that one user's cached data is never shown to another user. */
  readonly identity: string | number
  readonly earlyResponses?: EarlyResponses
  /** Ends the sign-in if an error means that the sign-in is no longer valid. */
  readonly endIfSignedOut: (error: unknown) => boolean
}

/** Sends a request for the data of a page. */
export type SendRequest<C, A> = (
  client: C,
  options: { readonly signal: AbortSignal; readonly timeout_ms: number }
) => Promise<A>

/** Requests data with the client of `access`, with one response for all requests with an equal `key`. */
export const useRequestWith = <C, A>(
  { client, earlyResponses, endIfSignedOut, identity }: RequestAccess<C>,
  key: ReadonlyArray<unknown>,
  request: SendRequest<C, A>,
  options: RequestOptions = {}
): RequestState<A> => {
  const isPresent = useIsPresent()
  const { refreshMs, freshMs = 10_000, isDisabled = false } = options
  const { data, error, fetchStatus, isFetching, isSuccess, refetch } = useQuery({
    queryKey: [identity, ...key],
    queryFn: async ({ signal }) => {
      try {
        return await (earlyResponses?.take<A>(key) ?? request(client, { signal, timeout_ms: requestTimeoutMs }))
      } catch (error) {
        endIfSignedOut(error)
        throw error
      }
    },
    enabled: !isDisabled,
    staleTime: freshMs,
    refetchInterval: isPresent && refreshMs !== undefined ? refreshMs : false
  })
  const refresh = () => void refetch()
  const problem = error !== null ? toProblem(error) : fetchStatus === "paused" ? offlineProblem : undefined
  if (isSuccess || data !== undefined) {
    // If a refresh fails, the page continues to show the earlier data together with the error.
    return { state: "loaded", data: data as A, isFetching, problem, refresh }
  }
  return problem === undefined ? { state: "waiting" } : { state: "failed", problem, refresh }
}

/** Requests data for a page, with one response for all requests with an equal `key`. */
export const useRequest = <A>(
  key: ReadonlyArray<unknown>,
  request: SendRequest<Client, A>,
  options: RequestOptions = {}
): RequestState<A> => useRequestWith(useAccess(), key, request, options)

export interface Action<Input, A> {
  readonly run: (input: Input) => void
  readonly isRunning: boolean
  readonly result: A | undefined
  readonly problem: Problem | undefined
  readonly reset: () => void
}

/** Returns an action that sends one request with the client of `access` each time `run` is called. */
export const useActionWith = <C, Input, A>(
  { client, endIfSignedOut }: Pick<RequestAccess<C>, "client" | "endIfSignedOut">,
  run: (client: C, input: Input) => Promise<A>,
  onSuccess?: (result: A, input: Input) => void
): Action<Input, A> => {
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: (input: Input) => run(client, input),
    onSuccess: (result, input) => onSuccess?.(result, input),
    onError: endIfSignedOut,
    // Without a network, the action fails immediately, because React Query would otherwise wait for the network.
    networkMode: "always"
  })
  return {
    run: mutate,
    isRunning: isPending,
    result: data,
    problem: error === null ? undefined : toProblem(error),
    reset
  }
}

/** Returns an action that sends one request each time `run` is called. */
export const useAction = <Input, A>(
  run: (client: Client, input: Input) => Promise<A>,
  onSuccess?: (result: A, input: Input) => void
): Action<Input, A> => useActionWith(useAccess(), run, onSuccess)
