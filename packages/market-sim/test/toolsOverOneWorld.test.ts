/** In one file, one worker computes the shared data: months of each coin and stock of one world. */
import "./toolsOverOneWorld/gappyTools.ts"
import "./toolsOverOneWorld/upstreamFaults.ts"
import "./toolsOverOneWorld/everyTool.ts"
