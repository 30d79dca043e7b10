// The views in the order in which they stand on the page. A new one is a file and a line here.

import { clock } from "./clock";
import { heatmap } from "./heatmap";
import { kernel } from "./kernel";
import { map } from "./map";
import { odometer } from "./odometer";
import { pairs } from "./pairs";
import { precision } from "./precision";
import { score } from "./score";
import { spectrum } from "./spectrum";
import type { View } from "./view";

export const VIEWS: readonly View[] = [
  clock,
  odometer,
  pairs,
  heatmap,
  kernel,
  map,
  spectrum,
  precision,
  score,
];
