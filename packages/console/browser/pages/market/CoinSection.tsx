import { RefreshCw, X } from "lucide-react"
import type { ReactNode } from "react"
import { useTexts } from "../../i18n/texts.ts"
import { useRefetch } from "../../requests/cachedResults.ts"
import { usePrices } from "../../requests/catalogue.ts"
import { type ToolQuery, totalCost } from "../../requests/toolQuery.ts"
import { useIsCached } from "../../requests/useToolQuery.ts"
import { Button } from "../../widgets/Button.tsx"
import styles from "./Market.module.css"
import { marketTexts } from "./texts.ts"

/**
 * A collapsible section of a coin's page. A closed section shows a description and the price in credits of opening the
 * section.
 */
export const CoinSection = ({ description, queries, children, isOpen, onOpen, title }: {
  readonly title: string
  readonly description: string
  readonly queries: ReadonlyArray<ToolQuery>
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  readonly children: ReactNode
}) => {
  const texts = useTexts(marketTexts)
  const prices = usePrices()
  const isCached = useIsCached()
  const refetch = useRefetch()
  const openCost = totalCost(queries, prices, isCached)
  const refreshCost = totalCost(queries, prices)
  return (
    <section className={`${styles["part"]} ${isOpen ? styles["open"] : ""}`} aria-label={title}>
      <div className={styles["partHead"]}>
        <h2>{title}</h2>
        {isOpen
          ? (
            <span className={styles["partTools"]}>
              <Button
                variant="quiet"
                onPress={() => refetch(queries)}
                aria-label={`${title}: ${texts.refresh(refreshCost)}`}
              >
                <RefreshCw aria-hidden />
                {texts.credits(refreshCost)}
              </Button>
              <Button
                variant="quiet"
                isSquare
                onPress={() => onOpen(false)}
                aria-label={`${title}: ${texts.closePart}`}
              >
                <X aria-hidden />
              </Button>
            </span>
          )
          : (
            <Button onPress={() => onOpen(true)} aria-label={`${title}: ${texts.openPart(openCost)}`}>
              {texts.openPart(openCost)}
            </Button>
          )}
      </div>
      {isOpen ? <div className={styles["partBody"]}>{children}</div> : <p className={styles["about"]}>{description}</p>}
    </section>
  )
}
