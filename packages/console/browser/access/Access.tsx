import { useQueryClient } from "@tanstack/react-query"
import { type Client, isClientError } from "@tapeline/client"
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from "react"
import type { Once } from "../asking/once.ts"
import { clientOf, patienceMs } from "../asking/service.ts"
import { troubleOf } from "../asking/trouble.ts"
import { useLanguage } from "../words/Languages.tsx"
import { readSignedIn } from "./readSignedIn.ts"
import { Stay } from "./Stay.ts"

/** The credentials of the page's requests: the browser's session, or a pasted key that only this page holds. */
export type Who =
  | { readonly by: "session"; readonly account: SignedIn }
  | { readonly by: "key"; readonly key: string }
  | {
    readonly by: "nothing"
    /** True if a session ended although the user did not sign out. */
    readonly lost: boolean
  }

export type SignedIn = Awaited<ReturnType<Client["account"]["read"]>>

/** True if no user is signed in. A service without sessions has no account endpoint and returns 404. */
const isNobody = (error: unknown): boolean =>
  isClientError(error) && (error._tag === "SessionRequired" || error._tag === "NotFound")

/** The page was opened for `was`, but the browser is now signed in as `now`, for example in another tab. */
export interface Other {
  readonly was: SignedIn
  readonly now: SignedIn
}

type Known = Who | { readonly by: "unknown" } | { readonly by: "unreachable" } | { readonly by: "other" } & Other

export interface Access {
  readonly who: Who
  /** Sends requests with the present credentials. */
  readonly client: Client
  /** Changes with each sign-in. Cached data of one sign-in is never shown to another. */
  readonly identity: number
  /** The idempotency keys of this sign-in's writes. */
  readonly once: Once
  /** Aborted when this sign-in ends. */
  readonly signal: AbortSignal
  /** Keeps the page until the returned function is called, even if the session ends meanwhile. */
  readonly hold: () => () => void
  readonly signedIn: (account: SignedIn) => void
  readonly byKey: (key: string) => void
  readonly leave: () => Promise<void>
  /**
   * Returns true if an error means that the page's account is no longer signed in. The page then shows nothing of this
   * account and sends no more requests for it.
   */
  readonly over: (error: unknown) => boolean
}

const AccessContext = createContext<Access | undefined>(undefined)

/** The current sign-in, and the client that sends its requests. */
export const useAccess = (): Access => {
  const access = use(AccessContext)
  if (access === undefined) throw new Error("Access stands around every page")
  return access
}

const useKnown = () => {
  const [known, setKnown] = useState<Known>({ by: "unknown" })
  const { language } = useLanguage()
  const began = useRef(false)
  const look = useCallback(() => {
    setKnown({ by: "unknown" })
    readSignedIn(clientOf(undefined, language)).then(
      (account) => setKnown(account === undefined ? { by: "nothing", lost: false } : { by: "session", account }),
      (error: unknown) => setKnown(isNobody(error) ? { by: "nothing", lost: false } : { by: "unreachable" })
    )
  }, [language])
  useEffect(() => {
    if (began.current) return
    began.current = true
    look()
  }, [look])
  return { known, setKnown, look }
}

/**
 * Finds out who is signed in, and shows the pages. Until then it shows `waiting` or `unreachable` instead. If the
 * browser is signed in to another account than before, it shows `other`.
 */
export const AccessProvider = ({ children, other, unreachable, waiting }: {
  readonly children: ReactNode
  readonly waiting: ReactNode
  readonly unreachable: (again: () => void) => ReactNode
  readonly other: (other: Other) => ReactNode
}) => {
  const { known, look, setKnown } = useKnown()
  const [stay, setStay] = useState(() => new Stay(0))
  const kept = useQueryClient()
  const { language } = useLanguage()
  const access = useMemo((): Access | undefined => {
    if (known.by === "unknown" || known.by === "unreachable" || known.by === "other") return undefined
    const become = (who: Known, then: () => void = () => undefined) =>
      stay.end(() => {
        kept.clear()
        setStay(new Stay(stay.identity + 1))
        setKnown(who)
        then()
      })
    const lose = () => become({ by: "nothing", lost: known.by !== "nothing" })
    const account = known.by === "session" ? known.account : undefined
    const client = clientOf(known.by === "key" ? known.key : undefined, language, account?.id)
    /** Finds out which account the browser's session now belongs to. */
    const stray = (was: SignedIn) =>
      become({ by: "unknown" }, () =>
        clientOf(undefined, language).account.read({ timeout_ms: patienceMs }).then(
          (now) => setKnown(now.id === was.id ? { by: "session", account: now } : { by: "other", was, now }),
          (error: unknown) => setKnown(isNobody(error) ? { by: "nothing", lost: true } : { by: "unreachable" })
        ))
    const over = (error: unknown) => {
      const { kind } = troubleOf(error)
      if (kind === "other account" && account !== undefined) stray(account)
      else if (kind === "signed out") lose()
      else return false
      return true
    }
    return {
      who: known,
      client,
      identity: stay.identity,
      once: stay.once,
      signal: stay.signal,
      hold: stay.hold,
      signedIn: (account) => become({ by: "session", account }),
      byKey: (key) => become({ by: "key", key }),
      leave: async () => {
        try {
          if (account !== undefined) await client.account.signOut()
        } catch (error) {
          // If the session has already ended elsewhere, signing out has succeeded.
          if (!isNobody(error)) {
            if (over(error)) return
            throw error
          }
        }
        become({ by: "nothing", lost: false })
      },
      over
    }
  }, [known, kept, language, setKnown, stay])
  if (known.by === "unreachable") return unreachable(look)
  if (known.by === "other") return other(known)
  return access === undefined ? waiting : <AccessContext value={access}>{children}</AccessContext>
}
