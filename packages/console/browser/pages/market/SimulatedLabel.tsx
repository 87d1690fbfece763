import { useTexts } from "../../i18n/texts.ts"
import styles from "./Market.module.css"
import { marketTexts } from "./texts.ts"

/** A label for data of the simulated market; nothing for data of real markets. */
export const SimulatedLabel = ({ source }: { readonly source: string }) => {
  const texts = useTexts(marketTexts)
  return source === "simulated" && <span className={styles["simulated"]}>{texts.simulated}</span>
}
