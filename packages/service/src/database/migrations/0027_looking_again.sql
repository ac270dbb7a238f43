-- Deposits that no rule has matched and nobody has touched: the engine looks at them again.
create index deposits_untouched on deposits (id) where status = 'unmatched' and version = 1;
