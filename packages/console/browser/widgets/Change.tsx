import { useFormats } from "../i18n/formats.ts"
import styles from "./Change.module.css"

export const Change = ({ digits = 2, isArrow = true, pct }: {
  readonly pct: number | null
  readonly digits?: number
  readonly isArrow?: boolean
}) => {
  const { signedPercent } = useFormats()
  if (pct === null) return <span className="faint">–</span>
  const direction = Number(pct.toFixed(digits))
  return (
    <span className={direction > 0 ? "up" : direction < 0 ? "down" : ""}>
      {isArrow && direction !== 0 && <span className={styles["arrow"]} aria-hidden>{direction > 0 ? "▲" : "▼"}</span>}
      {signedPercent(pct, digits)}
    </span>
  )
}
