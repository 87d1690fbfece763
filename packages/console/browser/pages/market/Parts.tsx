import type { ReactNode } from "react"
import { areOpen, costOf } from "../../asking/cost.ts"
import { useHeld } from "../../asking/usePaid.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { Button } from "../../widgets/Button.tsx"
import { useWords } from "../../words/words.ts"
import { FundingPart } from "./FundingPart.tsx"
import { LiquidationsPart } from "./LiquidationsPart.tsx"
import styles from "./Market.module.css"
import { type Part as Name, parts, setOpen, useOpened } from "./opened.ts"
import { Part } from "./Part.tsx"
import { asksOf } from "./parts.ts"
import { partWords } from "./partWords.ts"
import { PositioningPart } from "./PositioningPart.tsx"
import { ScorePart } from "./ScorePart.tsx"
import { VolatilityPart } from "./VolatilityPart.tsx"
import { marketWords } from "./words.ts"

const contentOf = (part: Name, coin: string): ReactNode => {
  switch (part) {
    case "funding":
      return <FundingPart coin={coin} />
    case "positioning":
      return <PositioningPart coin={coin} />
    case "liquidations":
      return <LiquidationsPart coin={coin} />
    case "score":
      return <ScorePart coin={coin} />
    case "volatility":
      return <VolatilityPart coin={coin} />
  }
}

/** The parts of a coin's page. A part sends no request before it is opened. */
export const Parts = ({ coin }: { readonly coin: string }) => {
  const says = useWords(marketWords)
  const told = useWords(partWords)
  const opened = useOpened()
  const prices = usePrices()
  const isHeld = useHeld()
  const offered = parts.filter((part) => areOpen(asksOf(part, coin), prices))
  const closed = offered.filter((part) => !opened.has(part))
  const cost = costOf(closed.flatMap((part) => asksOf(part, coin)), prices, isHeld)
  const texts: Readonly<Record<Name, readonly [title: string, about: string]>> = {
    funding: [told.funding, told.fundingAbout],
    positioning: [told.positioning, told.positioningAbout],
    liquidations: [told.liquidations, told.liquidationsAbout],
    score: [told.score, told.scoreAbout],
    volatility: [told.volatility, told.volatilityAbout]
  }
  if (offered.length === 0) return null
  return (
    <>
      {closed.length > 1 && (
        <div className={styles["openAll"]}>
          <p className={styles["soft"]}>{says.lazy}</p>
          <Button look="quiet" onPress={() => setOpen(closed, true)}>{says.openAll(cost)}</Button>
        </div>
      )}
      <div className={styles["parts"]}>
        {offered.map((part) => (
          <Part
            key={part}
            title={texts[part][0]}
            about={texts[part][1]}
            asks={asksOf(part, coin)}
            isOpen={opened.has(part)}
            onOpen={(isOpen) => setOpen([part], isOpen)}
          >
            {contentOf(part, coin)}
          </Part>
        ))}
      </div>
    </>
  )
}
