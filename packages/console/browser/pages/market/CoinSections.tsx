import type { ReactNode } from "react"
import { useTexts } from "../../i18n/texts.ts"
import { usePrices } from "../../requests/catalogue.ts"
import { canCallAll, totalCost } from "../../requests/toolQuery.ts"
import { useIsCached } from "../../requests/useToolQuery.ts"
import { Button } from "../../widgets/Button.tsx"
import { CoinSection } from "./CoinSection.tsx"
import { FundingSection } from "./FundingSection.tsx"
import { LiquidationsSection } from "./LiquidationsSection.tsx"
import styles from "./Market.module.css"
import { type Section as Name, sections, setSectionsOpen, useOpenSections } from "./openSections.ts"
import { PositioningSection } from "./PositioningSection.tsx"
import { ScoreSection } from "./ScoreSection.tsx"
import { sectionQueries } from "./sectionQueries.ts"
import { sectionTexts } from "./sectionTexts.ts"
import { marketTexts } from "./texts.ts"
import { VolatilitySection } from "./VolatilitySection.tsx"

const sectionContent = (section: Name, coin: string): ReactNode => {
  switch (section) {
    case "funding":
      return <FundingSection coin={coin} />
    case "positioning":
      return <PositioningSection coin={coin} />
    case "liquidations":
      return <LiquidationsSection coin={coin} />
    case "score":
      return <ScoreSection coin={coin} />
    case "volatility":
      return <VolatilitySection coin={coin} />
  }
}

/** The sections of a coin's page. A section sends no request before the user opens the section. */
export const CoinSections = ({ coin }: { readonly coin: string }) => {
  const texts = useTexts(marketTexts)
  const labelTexts = useTexts(sectionTexts)
  const openSections = useOpenSections()
  const prices = usePrices()
  const isCached = useIsCached()
  const availableSections = sections.filter((section) => canCallAll(sectionQueries(section, coin), prices))
  const closedSections = availableSections.filter((section) => !openSections.has(section))
  const cost = totalCost(closedSections.flatMap((section) => sectionQueries(section, coin)), prices, isCached)
  const headings: Readonly<Record<Name, readonly [title: string, about: string]>> = {
    funding: [labelTexts.funding, labelTexts.fundingDescription],
    positioning: [labelTexts.positioning, labelTexts.positioningDescription],
    liquidations: [labelTexts.liquidations, labelTexts.liquidationsDescription],
    score: [labelTexts.score, labelTexts.scoreDescription],
    volatility: [labelTexts.volatility, labelTexts.volatilityDescription]
  }
  if (availableSections.length === 0) return null
  return (
    <>
      {closedSections.length > 1 && (
        <div className="row wrap spread gap-2">
          <p className="soft small">{texts.loadedOnDemand}</p>
          <Button variant="quiet" onPress={() => setSectionsOpen(closedSections, true)}>{texts.openAll(cost)}</Button>
        </div>
      )}
      <div className={styles["parts"]}>
        {availableSections.map((section) => (
          <CoinSection
            key={section}
            title={headings[section][0]}
            description={headings[section][1]}
            queries={sectionQueries(section, coin)}
            isOpen={openSections.has(section)}
            onOpen={(isOpen) => setSectionsOpen([section], isOpen)}
          >
            {sectionContent(section, coin)}
          </CoinSection>
        ))}
      </div>
    </>
  )
}
