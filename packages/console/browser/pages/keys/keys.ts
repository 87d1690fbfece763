import { useQueryClient } from "@tanstack/react-query"
import { isClientError, type IssuedKey, type Key, type Refusal } from "@tapeline/client"
import type { Scope } from "@tapeline/core/specifications"
import { useState } from "react"
import { type Asked, type Doing, useAsk, useDo } from "../../asking/useAsk.ts"
import { wholeList } from "../../asking/wholeList.ts"

const keysKey = ["keys"] as const

/** All keys of the account, including revoked and expired ones. */
export const useKeys = (): Asked<{ readonly keys: ReadonlyArray<Key> }> =>
  useAsk(keysKey, async (client, options) => ({
    keys: await wholeList(async (cursor) => {
      const { keys, next_cursor } = await client.account.keys({ cursor, limit: 1000 }, options)
      return { items: keys, next: next_cursor }
    })
  }))

/** The error that the plan allows no more keys. */
export type KeyLimit = Extract<Refusal, { readonly _tag: "KeyLimit" }>

/** Requests the list again, also after a failure, because the write may have succeeded. */
const useListAnew = (): () => void => {
  const kept = useQueryClient()
  return () => void kept.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === keysKey[0] })
}

/** An action that the plan's maximum number of keys may reject. */
type Limited<Input, A> = Doing<Input, A> & { readonly limit: KeyLimit | undefined }

const useLimited = <Input, A>(
  act: Parameters<typeof useDo<Input, A>>[0],
  done: (result: A) => void
): Limited<Input, A> => {
  const [limit, setLimit] = useState<KeyLimit>()
  const anew = useListAnew()
  const doing = useDo<Input, A>(async (client, input) => {
    setLimit(undefined)
    try {
      return await act(client, input)
    } catch (error) {
      if (isClientError(error) && error._tag === "KeyLimit") setLimit(error)
      throw error
    } finally {
      anew()
    }
  }, done)
  return { ...doing, limit }
}

export interface NewKey {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly expires_at: string | null
}

export const useIssue = (done: (key: IssuedKey) => void): Limited<NewKey, IssuedKey> =>
  useLimited((client, key) => client.account.issueKey(key), done)

export interface Change {
  readonly id: number
  readonly scopes: ReadonlyArray<Scope>
  /** Undefined for no change. */
  readonly expires_at: string | null | undefined
}

export const useChange = (done: (key: Key) => void): Limited<Change, Key> =>
  useLimited(
    (client, { expires_at, id, scopes }) =>
      client.account.changeKey(id, { scopes, ...(expires_at === undefined ? {} : { expires_at }) }),
    done
  )

export const useRevoke = (done: () => void): Doing<number, void> => {
  const anew = useListAnew()
  return useDo<number, void>((client, id) => client.account.revokeKey(id).finally(anew), done)
}
