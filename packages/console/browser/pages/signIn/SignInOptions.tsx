import { useQuery } from "@tanstack/react-query"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { makeClient } from "../../requests/makeClient.ts"
import styles from "./SignInOptions.module.css"
import { signInTexts } from "./texts.ts"

/** The sign-in methods of the service: the sign-in link and, if configured, a button for the OpenID provider. */
export const SignInOptions = () => {
  const texts = useTexts(signInTexts)
  const { language } = useLanguage()
  const { data } = useQuery({
    queryKey: ["ways to sign in"],
    queryFn: ({ signal }) => makeClient(undefined, language).account.signInWays({ signal, timeout_ms: 10_000 })
  })
  const provider = data?.openid ?? null
  if (provider === null) return <p>{texts.byLink}</p>
  return (
    <>
      <a className={styles["way"]} href={provider.url}>{texts.byProvider(provider.label)}</a>
      <p>{texts.orByLink}</p>
    </>
  )
}
