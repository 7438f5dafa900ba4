import './crash-at.ts';
import '../../src/main.ts';
