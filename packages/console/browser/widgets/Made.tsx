import { useFormats } from "../words/formats.ts"
import styles from "./Change.module.css"

/** A profit or loss in USD, with colour and sign; a dash if it is unknown. */
export const Made = ({ usd }: { readonly usd: number | null }) => {
  const { made } = useFormats()
  if (usd === null) return <span className={styles["faint"]}>–</span>
  const way = Number(usd.toFixed(2))
  return <span className={way > 0 ? styles["up"] : way < 0 ? styles["down"] : ""}>{made(usd)}</span>
}

/** A result in multiples of the risk: +1.50R. */
export const InR = ({ r }: { readonly r: number | null }) => {
  const { times } = useFormats()
  if (r === null) return <span className={styles["faint"]}>–</span>
  const way = Number(r.toFixed(2))
  return <span className={way > 0 ? styles["up"] : way < 0 ? styles["down"] : ""}>{times(r)}R</span>
}
