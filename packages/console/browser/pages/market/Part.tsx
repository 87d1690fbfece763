import { RefreshCw, X } from "lucide-react"
import type { ReactNode } from "react"
import type { Ask } from "../../asking/ask.ts"
import { costOf } from "../../asking/cost.ts"
import { useAskAgain } from "../../asking/useAskAgain.ts"
import { useHeld } from "../../asking/usePaid.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { Button } from "../../widgets/Button.tsx"
import { useWords } from "../../words/words.ts"
import styles from "./Market.module.css"
import { marketWords } from "./words.ts"

/** A part of a coin's page. If closed, it shows its subject and price; if open, it can be refreshed. */
export const Part = ({ about, asks, children, isOpen, onOpen, title }: {
  readonly title: string
  readonly about: string
  readonly asks: ReadonlyArray<Ask>
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  readonly children: ReactNode
}) => {
  const says = useWords(marketWords)
  const prices = usePrices()
  const isHeld = useHeld()
  const askAgain = useAskAgain()
  const cost = costOf(asks, prices, isHeld)
  const again = costOf(asks, prices)
  return (
    <section className={`${styles["part"]} ${isOpen ? styles["open"] : ""}`} aria-label={title}>
      <div className={styles["partHead"]}>
        <h2>{title}</h2>
        {isOpen
          ? (
            <span className={styles["partTools"]}>
              <Button look="quiet" onPress={() => askAgain(asks)} aria-label={`${title}: ${says.refresh(again)}`}>
                <RefreshCw aria-hidden />
                {says.credits(again)}
              </Button>
              <Button look="quiet" isSquare onPress={() => onOpen(false)} aria-label={`${title}: ${says.closePart}`}>
                <X aria-hidden />
              </Button>
            </span>
          )
          : (
            <Button onPress={() => onOpen(true)} aria-label={`${title}: ${says.openPart(cost)}`}>
              {says.openPart(cost)}
            </Button>
          )}
      </div>
      {isOpen ? <div className={styles["partBody"]}>{children}</div> : <p className={styles["about"]}>{about}</p>}
    </section>
  )
}
