import { Layer } from "effect"
import { layerEdgar } from "../sources/edgar/Edgar.ts"
import { layerEdgarArchives } from "../sources/edgar/EdgarArchives.ts"
import { layerEdgarData } from "../sources/edgar/EdgarData.ts"
import { layerBeaSchedule } from "../sources/macro/BeaSchedule.ts"
import { layerBlsSchedule } from "../sources/macro/BlsSchedule.ts"
import { layerEcos } from "../sources/macro/Ecos.ts"
import { layerFedCalendar } from "../sources/macro/FedCalendar.ts"
import { layerTreasuryAuctions } from "../sources/macro/TreasuryAuctions.ts"
import { layerTreasuryYields } from "../sources/macro/TreasuryYields.ts"
import { layerOpenDart } from "../sources/openDart/OpenDart.ts"
import type { LiveSettings } from "./LiveSettings.ts"

/** Regulators, central banks and statistical offices. */
export const layerOffices = (
  { keys, patience, urls }: Required<Pick<LiveSettings, "keys" | "patience" | "urls">>
) => {
  const contact = keys.edgarContact
  const at = (baseUrl: string | undefined) => ({ patience, ...(baseUrl === undefined ? {} : { baseUrl }) })
  const edgar = layerEdgar.pipe(
    Layer.provideMerge(Layer.mergeAll(
      layerEdgarArchives({ ...at(urls.edgar), contact }),
      layerEdgarData({ ...at(urls.edgarData), contact })
    ))
  )
  return Layer.mergeAll(
    edgar,
    layerTreasuryYields(at(urls.usTreasury)),
    layerTreasuryAuctions({ ...at(urls.fiscalData), contact }),
    layerFedCalendar({ ...at(urls.federalReserve), contact }),
    layerBlsSchedule({ ...at(urls.bls), contact }),
    layerBeaSchedule({ ...at(urls.bea), contact }),
    layerEcos({ ...at(urls.ecos), key: keys.ecos }),
    layerOpenDart({ ...at(urls.openDart), key: keys.openDart })
  )
}
