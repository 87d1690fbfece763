import { isClientError } from "@tapeline/client"
import { useEffect, useState } from "react"
import { useAccess } from "../../access/Access.tsx"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { makeClient } from "../../requests/makeClient.ts"
import { toProblem } from "../../requests/problem.ts"
import { openHomePage } from "../openHomePage.ts"
import { clearLinkFromAddress, parseLinkSecret, signInPath } from "./link.ts"

/** The state of signing in with a link; null if the URL contained no sign-in link. */
export type LinkSignIn =
  | null
  | { readonly state: "unconfirmed"; readonly link: string }
  | { readonly state: "running" }
  | { readonly state: "refused" | "failed"; readonly message: string }

export interface LinkSignInControls {
  readonly linkSignIn: LinkSignIn
  readonly signInWithLink: (link: string) => void
  readonly discard: () => void
}

const parseLink = (hash: string): LinkSignIn => {
  const link = parseLinkSecret(hash)
  return link === undefined ? null : { state: "unconfirmed", link }
}

/**
 * Reads the sign-in link in the URL fragment, and immediately removes the link from the URL. The user must confirm a
 * sign-in link before the page uses the link, because any site can open the link in the user's browser.
 */
export const useLinkSignIn = (): LinkSignInControls => {
  const { acceptSession } = useAccess()
  const { language } = useLanguage()
  const [linkSignIn, setLinkSignIn] = useState<LinkSignIn>(() => parseLink(location.hash))
  useEffect(() => {
    const readAddress = () => {
      const parsed = parseLink(location.hash)
      if (parsed !== null) setLinkSignIn(parsed)
      clearLinkFromAddress()
    }
    readAddress()
    addEventListener("hashchange", readAddress)
    return () => removeEventListener("hashchange", readAddress)
  }, [])
  const signInWithLink = (link: string) => {
    setLinkSignIn({ state: "running" })
    makeClient(undefined, language).account.signIn(link).then(
      (account) => {
        acceptSession(account)
        openHomePage(signInPath)
      },
      (error: unknown) =>
        setLinkSignIn({
          state: isClientError(error) && error._tag === "LinkRefused" ? "refused" : "failed",
          message: toProblem(error).message ?? ""
        })
    )
  }
  return { linkSignIn, signInWithLink, discard: () => setLinkSignIn(null) }
}
