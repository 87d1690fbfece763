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

/** The risk profile, the size of the next position, and the risk of all open positions. */
export const RiskView = ({ record }: {
  /** Records a position that begins with the computed values. */
  readonly record: ((begin: Partial<TypedPosition>) => void) | undefined
}) => {
  const canWrite = usePrices().has("set_risk_profile")
  // The list of positions contains the profile too, and is usually cached.
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
