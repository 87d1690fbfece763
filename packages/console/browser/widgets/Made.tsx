import { useFormats } from "../words/formats.ts"
import styles from "./Change.module.css"

/** What was made or lost, USD: by its colour and by its sign; a dash where it is not known. */
export const Made = ({ usd }: { readonly usd: number | null }) => {
  const { made } = useFormats()
  if (usd === null) return <span className={styles["faint"]}>–</span>
  const way = Number(usd.toFixed(2))
  return <span className={way > 0 ? styles["up"] : way < 0 ? styles["down"] : ""}>{made(usd)}</span>
}

/** How many times what was risked was made or lost: +1.50R. */
export const InR = ({ r }: { readonly r: number | null }) => {
  const { times } = useFormats()
  if (r === null) return <span className={styles["faint"]}>–</span>
  const way = Number(r.toFixed(2))
  return <span className={way > 0 ? styles["up"] : way < 0 ? styles["down"] : ""}>{times(r)}R</span>
}
