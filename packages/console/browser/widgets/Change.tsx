import { useFormats } from "../words/formats.ts"
import styles from "./Change.module.css"

/** A change in percent. Its direction is shown by colour, sign and arrow. */
export const Change = ({ digits = 2, isArrow = true, pct }: {
  readonly pct: number | null
  readonly digits?: number
  readonly isArrow?: boolean
}) => {
  const { signed } = useFormats()
  if (pct === null) return <span className={styles["faint"]}>–</span>
  const way = Number(pct.toFixed(digits))
  return (
    <span className={way > 0 ? styles["up"] : way < 0 ? styles["down"] : ""}>
      {isArrow && way !== 0 && <span className={styles["arrow"]} aria-hidden>{way > 0 ? "▲" : "▼"}</span>}
      {signed(pct, digits)}
    </span>
  )
}
