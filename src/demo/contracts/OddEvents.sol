// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Logs that break the assumptions of careless indexers.
contract OddEvents {
    /// Has the signature of an ERC-20 transfer, but nothing is indexed.
    event Transfer(address from, address to, uint256 value);
    event Note(string indexed topic, bytes data);

    function withoutTopics(bytes calldata data) external {
        bytes memory copy = data;
        assembly {
            log0(add(copy, 32), mload(copy))
        }
    }

    function withFourTopics() external {
        assembly {
            log4(0, 0, 0, not(0), 1, caller())
        }
    }

    function unindexedTransfer(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }

    function note(string calldata topic, bytes calldata data) external {
        emit Note(topic, data);
    }

    /// The third topic of an ERC-20 transfer, with no data at all.
    function transferWithoutData(address to) external {
        bytes32 signature = keccak256("Transfer(address,address,uint256)");
        assembly {
            log3(0, 0, signature, caller(), to)
        }
    }

    function many(uint256 count) external {
        for (uint256 i = 0; i < count; i++) emit Note("many", abi.encode(i));
    }
}
