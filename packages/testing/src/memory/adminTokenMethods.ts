import {
  type AdminStore,
  AdminTokenNameTaken,
  type AdminTokenRecord,
  ExpiryPassed,
  tokenUseIntervalMs,
  UnknownAdminToken
} from "@tapeline/core/engine"
import { Effect } from "effect"
import type { MemoryState } from "./MemoryState.ts"

const isValid = ({ expiresAt, revokedAt }: AdminTokenRecord, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now)

const isUseDue = ({ lastUsedAt }: AdminTokenRecord, now: number): boolean =>
  lastUsedAt === null || lastUsedAt <= now - tokenUseIntervalMs

/** Creates the methods of `AdminStore` for named admin tokens. */
export const makeAdminTokenMethods = (
  { adminTokens: tokensByHash }: MemoryState["Service"],
  getTime: (now: number | null) => number
): Pick<
  AdminStore["Service"],
  "createToken" | "tokens" | "revokeToken" | "findTokens" | "recordTokenUse"
> => {
  const findById = (id: number) => [...tokensByHash].find(([, token]) => token.id === id)
  return {
    createToken: ({ hash, now, ...fields }) =>
      Effect.suspend((): ReturnType<AdminStore["Service"]["createToken"]> => {
        const [createdAt, { expiresAt, name }] = [getTime(now), fields]
        if (expiresAt !== null && expiresAt <= createdAt) return Effect.fail(new ExpiryPassed({ expiresAt }))
        if ([...tokensByHash.values()].some((other) => other.name === name && isValid(other, createdAt))) {
          return Effect.fail(new AdminTokenNameTaken({ tokenName: name }))
        }
        const token: AdminTokenRecord = {
          ...fields,
          id: tokensByHash.size + 1,
          createdAt,
          revokedAt: null,
          lastUsedAt: null
        }
        tokensByHash.set(hash, token)
        return Effect.succeed(token)
      }),
    tokens: ({ after, limit }) =>
      Effect.sync(() => [...tokensByHash.values()].filter(({ id }) => id > after).slice(0, limit)),
    revokeToken: (id, now) =>
      Effect.suspend((): ReturnType<AdminStore["Service"]["revokeToken"]> => {
        const found = findById(id)
        if (found === undefined) return Effect.fail(new UnknownAdminToken({ token: id }))
        const [hash, before] = found
        if (before.revokedAt !== null) return Effect.succeed({ token: before, isChanged: false })
        const token = { ...before, revokedAt: getTime(now) }
        tokensByHash.set(hash, token)
        return Effect.succeed({ token, isChanged: true })
      }),
    findTokens: (hashes, at) =>
      Effect.sync(() => {
        const now = getTime(at)
        return hashes.map((hash) => {
          const token = tokensByHash.get(hash)
          return token !== undefined && isValid(token, now) ? { token, isUseDue: isUseDue(token, now) } : null
        })
      }),
    recordTokenUse: (id, at) =>
      Effect.sync(() => {
        const [found, now] = [findById(id), getTime(at)]
        if (found !== undefined && isUseDue(found[1], now)) tokensByHash.set(found[0], { ...found[1], lastUsedAt: now })
      })
  }
}
