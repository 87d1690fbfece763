import { usePaid } from "../../asking/usePaid.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { Skeleton } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { positionsAsk } from "./asks.ts"
import styles from "./Journal.module.css"
import { PortfolioPanel } from "./PortfolioPanel.tsx"
import { ProfilePanel } from "./ProfilePanel.tsx"
import { SizingPanel } from "./SizingPanel.tsx"
import type { TypedPosition } from "./typedPosition.ts"

/** What is risked: the limits, the size of the next position, and all that is open together. */
export const RiskView = ({ record }: {
  /** Records a position that begins with what was reckoned. */
  readonly record: ((begin: Partial<TypedPosition>) => void) | undefined
}) => {
  const canWrite = usePrices().has("set_risk_profile")
  // The list of positions tells the profile as well, and is mostly there already.
  const asked = usePaid(positionsAsk)
  return (
    <div className={styles["halves"]}>
      <div className={styles["stack"]}>
        <SizingPanel record={record} />
        <Told of={asked} waiting={<Skeleton lines={5} />}>
          {({ risk_profile }) => (
            <ProfilePanel key={JSON.stringify(risk_profile)} profile={risk_profile} canWrite={canWrite} />
          )}
        </Told>
      </div>
      <PortfolioPanel />
    </div>
  )
}
