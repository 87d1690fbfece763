import { useQuery } from "@tanstack/react-query"
import { clientOf } from "../../asking/service.ts"
import { useLanguage } from "../../words/Languages.tsx"
import { useWords } from "../../words/words.ts"
import styles from "./ByProviderOrLink.module.css"
import { signInWords } from "./words.ts"

/** Signing in with a provider, if one is configured, and with a link. If this request fails, only the link is shown. */
export const ByProviderOrLink = () => {
  const says = useWords(signInWords)
  const { language } = useLanguage()
  const { data } = useQuery({
    queryKey: ["ways to sign in"],
    queryFn: ({ signal }) => clientOf(undefined, language).account.ways({ signal, timeout_ms: 10_000 })
  })
  const provider = data?.openid ?? null
  if (provider === null) return <p>{says.byLink}</p>
  return (
    <>
      <a className={styles["way"]} href={provider.url}>{says.byProvider(provider.label)}</a>
      <p>{says.orByLink}</p>
    </>
  )
}
