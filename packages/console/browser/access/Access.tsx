import { useQueryClient } from "@tanstack/react-query"
import { type Client, isClientError } from "@tapeline/client"
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from "react"
import type { Once } from "../asking/once.ts"
import { clientOf, patienceMs } from "../asking/service.ts"
import { troubleOf } from "../asking/trouble.ts"
import { useLanguage } from "../words/Languages.tsx"
import { readSignedIn } from "./readSignedIn.ts"
import { Stay } from "./Stay.ts"

/** By what the pages ask: a session of this browser, or a key that was pasted and stands in this page alone. */
export type Who =
  | { readonly by: "session"; readonly account: SignedIn }
  | { readonly by: "key"; readonly key: string }
  | {
    readonly by: "nothing"
    /** True where somebody was signed in until just now, and did not leave. */
    readonly lost: boolean
  }

export type SignedIn = Awaited<ReturnType<Client["account"]["read"]>>

/** A service without people who sign in knows no such address: there a key is the way in. */
const isNobody = (error: unknown): boolean =>
  isClientError(error) && (error._tag === "SessionRequired" || error._tag === "NotFound")

/** The page was opened for `was`, and the browser is signed in as `now`: here, in another tab, or by a provider. */
export interface Other {
  readonly was: SignedIn
  readonly now: SignedIn
}

type Known = Who | { readonly by: "unknown" } | { readonly by: "unreachable" } | { readonly by: "other" } & Other

export interface Access {
  readonly who: Who
  /** Asks the service as who is signed in. */
  readonly client: Client
  /** Another for each sign-in: what is kept for one is shown to no other. */
  readonly identity: number
  /** Names the calls that write, of this sign-in. */
  readonly once: Once
  /** Aborted when this sign-in is over. */
  readonly signal: AbortSignal
  /** Keeps the page as it is while something is shown once, also where somebody is out meanwhile; gives its end. */
  readonly hold: () => () => void
  readonly signedIn: (account: SignedIn) => void
  readonly byKey: (key: string) => void
  readonly leave: () => Promise<void>
  /**
   * Gives true where an error says that who this page was opened for is signed in no more: nothing of theirs is shown
   * from then on, and nothing is asked for them.
   */
  readonly over: (error: unknown) => boolean
}

const AccessContext = createContext<Access | undefined>(undefined)

/** Who is signed in, and the client that asks for them. */
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
 * Finds out who is signed in; `waiting` and `unreachable` stand for the pages until that is known, and `other` where it
 * is somebody else than before.
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
    /** Finds out whose session took the place of this one. */
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
          // It ended elsewhere: that is what was asked for.
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
