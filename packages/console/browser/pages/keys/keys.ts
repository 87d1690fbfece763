import { useQueryClient } from "@tanstack/react-query"
import { isClientError, type IssuedKey, type Key, type ProblemError } from "@tapeline/client"
import type { Scope } from "@tapeline/core/specifications"
import { useState } from "react"
import { readAllPages } from "../../requests/readAllPages.ts"
import { type Action, type RequestState, useAction, useRequest } from "../../requests/useRequest.ts"

const keysKey = ["keys"] as const

/** Requests all keys of the account, including revoked and expired keys. */
export const useKeys = (): RequestState<{ readonly keys: ReadonlyArray<Key> }> =>
  useRequest(keysKey, async (client, options) => ({
    keys: await readAllPages(async (cursor) => {
      const { keys, next_cursor } = await client.account.keys({ cursor, limit: 1000 }, options)
      return { items: keys, next: next_cursor }
    })
  }))

export type KeyLimit = Extract<ProblemError, { readonly _tag: "KeyLimit" }>

/**
 * Returns a function that requests the list of API keys again. The list of API keys needs a refresh even after a failed
 * write, because the write may have succeeded.
 */
const useRefreshKeys = (): () => void => {
  const queryClient = useQueryClient()
  return () => void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === keysKey[0] })
}

/** An action on API keys. `limit` is set if the action failed because the plan allows no more keys. */
type LimitedAction<Input, A> = Action<Input, A> & { readonly limit: KeyLimit | undefined }

const useLimitedAction = <Input, A>(
  run: Parameters<typeof useAction<Input, A>>[0],
  onDone: (result: A) => void
): LimitedAction<Input, A> => {
  const [limit, setLimit] = useState<KeyLimit>()
  const refreshKeys = useRefreshKeys()
  const action = useAction<Input, A>(async (client, input) => {
    setLimit(undefined)
    try {
      return await run(client, input)
    } catch (error) {
      if (isClientError(error) && error._tag === "KeyLimit") setLimit(error)
      throw error
    } finally {
      refreshKeys()
    }
  }, onDone)
  return { ...action, limit }
}

type Limits = Pick<Key, "monthly_credits" | "requests_per_minute" | "allowed_ips">

export interface NewKey extends Limits {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly expires_at: string | null
}

export const useIssueKey = (onDone: (key: IssuedKey) => void): LimitedAction<NewKey, IssuedKey> =>
  useLimitedAction((client, key) => client.account.issueKey(key), onDone)

export interface KeyChange extends Limits {
  readonly id: number
  readonly scopes: ReadonlyArray<Scope>
  /** The new time of expiry of a key: null for never, undefined for no change. */
  readonly expires_at: string | null | undefined
}

export const useChangeKey = (onDone: (key: Key) => void): LimitedAction<KeyChange, Key> =>
  useLimitedAction(
    (client, { expires_at, id, ...change }) =>
      client.account.changeKey(id, { ...change, ...(expires_at === undefined ? {} : { expires_at }) }),
    onDone
  )

export const useRotateKey = (
  onDone: (key: IssuedKey) => void
): LimitedAction<{ readonly id: number; readonly overlap_seconds: number }, IssuedKey> =>
  useLimitedAction((client, { id, overlap_seconds }) => client.account.rotateKey(id, { overlap_seconds }), onDone)

export const useRevokeKey = (onDone: () => void): Action<number, void> => {
  const refreshKeys = useRefreshKeys()
  return useAction<number, void>((client, id) => client.account.revokeKey(id).finally(refreshKeys), onDone)
}
